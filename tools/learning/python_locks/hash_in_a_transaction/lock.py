# exercise: python3
# scenarios: killed_mid_acquire overrun_release missing_right
# holds: true
"""A hash, its field and its lease within WATCH and MULTI."""
import secrets
import time

CAPABILITIES = ["lease", "token"]


class Lock:
    def __init__(self, server, key):
        self.server, self.key, self.token = server, key, None

    def try_acquire(self, lease_ms):
        c, token = self.server.command, secrets.token_urlsafe(18)
        try:
            c("WATCH", self.key)
            if c("HEXISTS", self.key, "owner") == "1":
                c("UNWATCH")
                return "contended"
            c("MULTI")
            c("HSET", self.key, "owner", token, "since", time.time_ns())
            c("PEXPIRE", self.key, lease_ms)
            if c("EXEC") is None:
                return "contended"
        except RuntimeError:
            self.discard()
            raise
        except self.server.Lost:
            try:
                self.leave(token)
            except (self.server.Lost, OSError):
                pass
            return "unknown"
        self.token = token
        return "acquired"

    def release(self):
        if self.token is None:
            return "not_held"
        try:
            outcome = self.leave(self.token)
        except self.server.Lost:
            return "unknown"
        except RuntimeError:
            self.discard()
            raise
        self.token = None
        return outcome

    def leave(self, token):
        c = self.server.command
        while True:
            c("WATCH", self.key)
            owner = c("HGET", self.key, "owner")
            if owner != token:
                c("UNWATCH")
                return "expired" if owner is None else "stolen"
            c("MULTI")
            c("DEL", self.key)
            done = c("EXEC")
            if done is not None:
                return "released" if done == ["1"] else "expired"

    def discard(self):
        try:
            self.server.command("DISCARD")
        except RuntimeError:  # there was no MULTI yet
            self.server.command("UNWATCH")
