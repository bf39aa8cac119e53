# exercise: python3
# scenarios: killed_mid_acquire overrun_release missing_right
# holds: true
"""A hash, its field and its lease within WATCH and MULTI."""
import secrets
import sys
import time

sys.path.append(sys.path[0] + "/../../exercises/python4")
from start import lock as ours

CAPABILITIES = ours.CAPABILITIES


class Lock(ours.Lock):
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
            self.take_back(token)
            return "unknown"
        self.token = token
        return "acquired"

    def release(self):
        try:
            return super().release()
        except RuntimeError:
            self.discard()
            raise

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
