# exercise: python3
# scenarios: two_replies_lost_release overrun_release
# holds: true
"""A token whose two ends are the same for every hold."""
import secrets

CAPABILITIES = ["lease", "token"]


class Lock:
    def __init__(self, server, key):
        self.server, self.key, self.token = server, key, None

    def try_acquire(self, lease_ms):
        token = "worker-%s-thread-1" % secrets.token_hex(8)
        try:
            before = self.server.command("SET", self.key, token, "NX", "GET", "PX", lease_ms)
        except self.server.Lost:
            self.take_back(token)
            return "unknown"
        if before is not None:
            return "contended"
        self.token = token
        return "acquired"

    def release(self):
        if self.token is None:
            return "not_held"
        try:
            outcome = self.leave(self.token)
        except self.server.Lost:
            return "unknown"
        self.token = None
        return outcome

    def leave(self, token):
        holder = self.server.command("GET", self.key)
        if holder is None:
            return "expired"
        if holder != token:
            return "stolen"
        return "released" if self.server.command("DEL", self.key) == "1" else "expired"

    def take_back(self, token):
        try:
            self.leave(token)
        except (self.server.Lost, OSError):
            pass
