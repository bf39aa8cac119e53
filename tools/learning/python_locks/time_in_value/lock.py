# exercise: python2
# scenarios: killed_holder same_thread_id second_try
# holds: true
"""A lock whose value tells when its lease ends; the next client takes over what is over."""
import time

CAPABILITIES = ["lease"]


def now_ms():
    return int(time.time() * 1000)


class Lock:
    def __init__(self, server, key):
        self.server, self.key, self.end = server, key, 0

    def try_acquire(self, lease_ms):
        end = now_ms() + lease_ms
        try:
            if not self.takes(end):
                return "contended"
        except self.server.Lost:
            return "unknown"
        self.end = end
        return "acquired"

    def takes(self, end):
        if self.server.command("SETNX", self.key, end) == "1":
            return True
        seen = self.server.command("GET", self.key)
        if seen is None or int(seen) >= now_ms():
            return False
        return self.server.command("GETSET", self.key, end) == seen

    def release(self):
        if now_ms() >= self.end:
            return "expired"
        try:
            removed = self.server.command("DEL", self.key) == "1"
        except self.server.Lost:
            return "unknown"
        return "released" if removed else "not_held"
