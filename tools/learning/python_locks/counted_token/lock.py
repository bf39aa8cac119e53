# exercise: python3
# scenarios: overrun_release stranger_release
# holds: true
"""The token is a number that the server counts."""
import sys

sys.path.append(sys.path[0] + "/../../exercises/python4")
from start import lock as ours

CAPABILITIES = ours.CAPABILITIES


class Lock(ours.Lock):
    def try_acquire(self, lease_ms):
        token = None
        try:
            token = self.server.command("INCR", "lock-serials")
            answer = self.server.command("SET", self.key, token, "NX", "PX", lease_ms)
        except self.server.Lost:
            if token is not None:
                self.take_back(token)
            return "unknown"
        if answer != "OK":
            return "contended"
        self.token = token
        return "acquired"
