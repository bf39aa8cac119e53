# exercise: python2
# scenarios: second_try
# says: lease_not_as_asked
# holds: true
"""A lock whose lease is counted in whole minutes, in seconds: far longer than asked for."""

CAPABILITIES = ["lease"]  # what the lock can do, for the program around it


class Lock:
    def __init__(self, server, key):
        self.server, self.key = server, key

    def try_acquire(self, lease_ms):
        try:
            taken = self.server.command("SETNX", self.key, "held") == "1"
            if taken:
                self.server.command("EXPIRE", self.key, max(1, lease_ms // 1000 * 60))
        except self.server.Lost:
            return "unknown"
        return "acquired" if taken else "contended"

    def release(self):
        try:
            removed = self.server.command("DEL", self.key) == "1"
        except self.server.Lost:
            return "unknown"
        return "released" if removed else "not_held"
