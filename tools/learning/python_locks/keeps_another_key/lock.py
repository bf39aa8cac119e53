# exercise: python1
# scenarios: same_thread_id
# says: another_key
"""The lock has a key of its own making."""

CAPABILITIES = []


class Lock:
    def __init__(self, server, key):
        self.server, self.key = server, "{" + key + "}:mutex"

    def try_acquire(self, lease_ms):
        c = self.server.command
        try:
            c("WATCH", self.key)
            if c("EXISTS", self.key) == "1":
                c("UNWATCH")
                return "contended"
            c("MULTI")
            c("SET", self.key, "taken")
            return "contended" if c("EXEC") is None else "acquired"
        except self.server.Lost:
            return "unknown"

    def release(self):
        try:
            return "released" if self.server.command("DEL", self.key) == "1" else "not_held"
        except self.server.Lost:
            return "unknown"
