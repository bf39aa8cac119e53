# exercise: python2
# scenarios: killed_holder
# says: lease_dropped
"""A lock with a lease: SETNX, then PEXPIRE; and DEL."""

CAPABILITIES = ["lease"]  # what the lock can do, for the program around it


class Lock:
    def __init__(self, server, key):
        self.server, self.key = server, key

    def try_acquire(self, lease_ms):
        try:
            taken = self.server.command("SETNX", self.key, "held") == "1"
            if taken:
                self.server.command("PEXPIRE", self.key, lease_ms)
                self.server.command("SET", self.key, "mine")
        except self.server.Lost:
            return "unknown"
        return "acquired" if taken else "contended"

    def release(self):
        try:
            removed = self.server.command("DEL", self.key) == "1"
        except self.server.Lost:
            return "unknown"
        return "released" if removed else "not_held"
