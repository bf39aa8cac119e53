# exercise: python2
# scenarios: killed_holder second_try
# holds: true
"""SETNX, then PEXPIRE; a client that is refused gives a lease to a lock that was left without."""

CAPABILITIES = ["lease"]


class Lock:
    def __init__(self, server, key):
        self.server, self.key = server, key

    def try_acquire(self, lease_ms):
        try:
            if self.server.command("SETNX", self.key, "held") == "1":
                self.server.command("PEXPIRE", self.key, lease_ms)
                return "acquired"
            self.server.command("PEXPIRE", self.key, lease_ms, "NX")
        except self.server.Lost:
            return "unknown"
        return "contended"

    def release(self):
        try:
            removed = self.server.command("DEL", self.key) == "1"
        except self.server.Lost:
            return "unknown"
        return "released" if removed else "not_held"
