# exercise: python1
# scenarios: same_thread_id second_try two_locks
# holds: true
"""A lock that is a bit: SETBIT takes it and gives it back, and its key stays."""

CAPABILITIES = []


class Lock:
    def __init__(self, server, key):
        self.server, self.key = server, key

    def try_acquire(self, lease_ms):
        try:
            was = self.server.command("SETBIT", self.key, 0, 1)
        except self.server.Lost:
            return "unknown"
        return "acquired" if was == "0" else "contended"

    def release(self):
        try:
            was = self.server.command("SETBIT", self.key, 0, 0)
        except self.server.Lost:
            return "unknown"
        return "released" if was == "1" else "not_held"
