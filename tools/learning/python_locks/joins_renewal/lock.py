# exercise: 5
# scenarios: late_renewal frozen_renewal second_try_renewed
# holds: true
"""A lock that is renewed by a thread, for which its release waits."""
import secrets
import threading

CAPABILITIES = ["lease", "token", "atomic_release", "renewal"]

RELEASE = """
local holder = redis.call('GET', KEYS[1])
if not holder then return 0 end
if holder ~= ARGV[1] then return -1 end
return redis.call('DEL', KEYS[1])
"""

RENEW = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
"""


class Renewal(threading.Thread):
    """Renews one hold over a connection of its own, until it is ended."""

    def __init__(self, server, key, token, lease_ms):
        super().__init__(daemon=True)
        self.server = type(server)("%s:%s" % server.where, server.timeout)
        self.key, self.token, self.lease_ms = key, token, lease_ms
        self.over = threading.Event()

    def run(self):
        while not self.over.wait(self.lease_ms / 3000):
            try:
                self.renew()
            except self.server.Lost:
                pass  # the next one may arrive

    def renew(self):
        self.server.command("EVAL", RENEW, 1, self.key, self.token, self.lease_ms)

    def end(self):
        self.over.set()
        self.join()


class Lock:
    def __init__(self, server, key):
        self.server, self.key, self.token, self.renewal = server, key, None, None

    def try_acquire(self, lease_ms):
        token = secrets.token_hex(16)
        try:
            answer = self.server.command("SET", self.key, token, "NX", "PX", lease_ms)
        except self.server.Lost:
            self.take_back(token)
            return "unknown"
        if answer != "OK":
            return "contended"
        self.token = token
        self.renewal = Renewal(self.server, self.key, token, lease_ms)
        self.renewal.start()
        return "acquired"

    def release(self):
        if self.token is None:
            return "not_held"
        self.renewal.end()
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
        try:
            self.leave(token)
        except (self.server.Lost, OSError):
            pass  # the lease will do it
