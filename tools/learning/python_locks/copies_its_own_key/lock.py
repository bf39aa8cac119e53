# exercise: python1
# scenarios: frozen_mid_acquire killed_waiter
# holds: true
"""COPY of a key of its own, which copies nothing where the lock is there."""
import secrets

CAPABILITIES = []


class Lock:
    def __init__(self, server, key):
        self.server, self.key = server, key
        self.own = key + ":" + secrets.token_hex(8)

    def try_acquire(self, lease_ms):
        try:
            self.server.command("SET", self.own, "1")
            taken = self.server.command("COPY", self.own, self.key) == "1"
            self.server.command("DEL", self.own)
        except self.server.Lost:
            return "unknown"
        return "acquired" if taken else "contended"

    def release(self):
        try:
            return "released" if self.server.command("UNLINK", self.key) == "1" else "not_held"
        except self.server.Lost:
            return "unknown"
