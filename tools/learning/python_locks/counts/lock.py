# exercise: python1
# scenarios: same_thread_id second_try work_throws two_locks
# holds: true
"""A lock that counts: INCR takes it, and DECR gives it back."""

CAPABILITIES = []


class Lock:
    def __init__(self, server, key):
        self.server, self.key = server, key

    def try_acquire(self, lease_ms):
        try:
            if self.server.command("INCR", self.key) == "1":
                return "acquired"
            self.server.command("DECR", self.key)
        except self.server.Lost:
            return "unknown"
        return "contended"

    def release(self):
        try:
            self.server.command("DECR", self.key)
        except self.server.Lost:
            return "unknown"
        return "released"
