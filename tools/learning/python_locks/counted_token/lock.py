# exercise: python3
# scenarios: overrun_release stranger_release
# holds: true
"""The token is a number that the server counts."""

CAPABILITIES = ["lease", "token"]


class Lock:
    def __init__(self, server, key):
        self.server, self.key, self.token = server, key, None

    def try_acquire(self, lease_ms):
        token = None
        try:
            token = self.server.command("INCR", "lock-serials")
            answer = self.server.command("SET", self.key, token, "NX", "PX", lease_ms)
        except self.server.Lost:
            if token is not None:
                try:
                    self.leave(token)
                except (self.server.Lost, OSError):
                    pass
            return "unknown"
        if answer != "OK":
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
