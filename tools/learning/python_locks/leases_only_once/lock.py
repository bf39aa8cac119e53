# exercise: python2
# scenarios: killed_second_hold
# broken: liveness
"""The first hold gets a lease, and no later one."""

CAPABILITIES = ["lease"]


class Lock:
    def __init__(self, server, key):
        self.server, self.key, self.leased = server, key, False

    def try_acquire(self, lease_ms):
        try:
            if self.server.command("SETNX", self.key, "held") != "1":
                return "contended"
            if not self.leased:
                self.server.command("PEXPIRE", self.key, lease_ms)
                self.leased = True
        except self.server.Lost:
            return "unknown"
        return "acquired"

    def release(self):
        try:
            return "released" if self.server.command("DEL", self.key) == "1" else "not_held"
        except self.server.Lost:
            return "unknown"
