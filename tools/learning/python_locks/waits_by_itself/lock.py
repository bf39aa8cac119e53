# exercise: python1
# scenarios: same_thread_id
# says: broken off
"""A lock without a lease: SETNX and DEL."""

import time

CAPABILITIES = []  # what the lock can do, for the program around it


class Lock:
    def __init__(self, server, key):
        self.server, self.key = server, key

    def try_acquire(self, lease_ms):
        try:
            while self.server.command("SETNX", self.key, "held") != "1":
                time.sleep(0.05)
        except self.server.Lost:
            return "unknown"
        return "acquired"

    def release(self):
        try:
            removed = self.server.command("DEL", self.key) == "1"
        except self.server.Lost:
            return "unknown"
        return "released" if removed else "not_held"
