"""A lock with a token: SET NX PX; GET, compare, DEL."""
import secrets

CAPABILITIES = ["lease", "token"]  # what the lock can do, for the program around it


class Lock:
    def __init__(self, server, key):
        self.server, self.key, self.token = server, key, None

    def try_acquire(self, lease_ms):
        token = secrets.token_hex(16)
        try:
            answer = self.server.command("SET", self.key, token, "NX", "PX", lease_ms)
        except self.server.Lost:
            self.take_back(token)
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
        if holder != token:
            return "expired" if holder is None else "stolen"
        return "released" if self.server.command("DEL", self.key) == "1" else "expired"

    def take_back(self, token):
        """Removes what may have been set under `token`, if that is possible."""
        try:
            self.leave(token)
        except (self.server.Lost, OSError):
            pass  # the lease will do it
