# exercise: python1
# scenarios: second_try
# says: key_stays
"""A lock without a lease: SETNX and DEL."""

CAPABILITIES = []  # what the lock can do, for the program around it


class Lock:
    def __init__(self, server, key):
        self.server, self.key = server, key

    def try_acquire(self, lease_ms):
        try:
            taken = self.server.command("SETNX", self.key, "held") == "1"
        except self.server.Lost:
            return "unknown"
        return "acquired" if taken else "contended"

    def release(self):
        try:
            self.server.command("DEL", "lock:" + self.key)
        except self.server.Lost:
            return "unknown"
        return "released"
