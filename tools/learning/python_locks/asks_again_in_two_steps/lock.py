# exercise: python4
# scenarios: command_lost_release
# holds: true
# says: releases_in_two_steps
"""A release that is asked again compares and deletes in two commands."""
import secrets

CAPABILITIES = ["lease", "token", "atomic_release"]


LEAVE = """
local holder = redis.call('GET', KEYS[1])
if not holder then return 0 end
if holder ~= ARGV[1] then return -1 end
return redis.call('DEL', KEYS[1])
"""


class Lock:
    def __init__(self, server, key):
        self.server, self.key, self.token = server, key, None
        self.again = False

    def try_acquire(self, lease_ms):
        token = secrets.token_hex(16)
        try:
            answer = self.server.command("SET", self.key, token, "NX", "PX", lease_ms)
        except self.server.Lost:
            try:
                self.leave(token)
            except (self.server.Lost, OSError):
                pass
            return "unknown"
        if answer != "OK":
            return "contended"
        self.token, self.again = token, False
        return "acquired"

    def release(self):
        if self.token is None:
            return "not_held"
        try:
            outcome = self.leave_by_hand() if self.again else self.leave(self.token)
        except self.server.Lost:
            self.again = True
            return "unknown"
        self.token = None
        return outcome

    def leave_by_hand(self):
        holder = self.server.command("GET", self.key)
        if holder != self.token:
            return "expired" if holder is None else "stolen"
        return "released" if self.server.command("DEL", self.key) == "1" else "expired"

    def leave(self, token):
        removed = self.server.command("EVAL", LEAVE, 1, self.key, token)
        return {"1": "released", "0": "expired"}.get(removed, "stolen")
