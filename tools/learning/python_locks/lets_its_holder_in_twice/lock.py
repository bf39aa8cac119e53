# exercise: python1
# scenarios: second_try
# holds: true
# says: inner_level_frees
"""A holder gets in once more, and the first release removes the lock."""

CAPABILITIES = []


class Lock:
    def __init__(self, server, key):
        self.server, self.key, self.mine = server, key, False

    def try_acquire(self, lease_ms):
        if self.mine:
            return "acquired"
        try:
            self.mine = self.server.command("SETNX", self.key, "held") == "1"
        except self.server.Lost:
            return "unknown"
        return "acquired" if self.mine else "contended"

    def release(self):
        if not self.mine:
            return "not_held"
        try:
            self.server.command("DEL", self.key)
        except self.server.Lost:
            return "unknown"
        self.mine = False
        return "released"
