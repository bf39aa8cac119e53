# exercise: python4
# scenarios: second_try
# says: own_lock_left
"""A lock with a token: SET NX PX; a release in one step."""
import secrets

CAPABILITIES = ["lease", "token", "atomic_release"]  # what the lock can do, for the program around it

RELEASE = """
local holder = redis.call('GET', KEYS[1])
if not holder then return 0 end
if holder ~= ARGV[1] then return -1 end
return redis.call('DEL', KEYS[1])
"""


class Lock:
    def __init__(self, server, key):
        self.server, self.key, self.token = server, key, None

    def try_acquire(self, lease_ms):
        token = self.token = secrets.token_hex(16)
        try:
            answer = self.server.command("SET", self.key, token, "NX", "PX", lease_ms)
        except self.server.Lost:
            self.take_back(token)
            return "unknown"
        if answer != "OK":
            return "contended"
        return "acquired"

    def release(self):
        if self.token is None:
            return "not_held"
        try:
            outcome = self.leave(self.token)
        except self.server.Lost:
            return "unknown"
        self.token = None
        return outcome

    def leave(self, token):
        removed = self.server.command("EVAL", RELEASE, 1, self.key, token)
        return {"1": "released", "0": "expired"}.get(removed, "stolen")

    def take_back(self, token):
        """Removes what may have been set under `token`, if that is possible."""
        try:
            self.leave(token)
        except (self.server.Lost, OSError):
            pass  # the lease will do it
