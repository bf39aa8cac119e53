# exercise: python3
# scenarios: two_replies_lost_release overrun_release
# holds: true
"""A token whose two ends are the same for every hold."""
import secrets
import sys

sys.path.append(sys.path[0] + "/../../exercises/python4")
from start import lock as ours

CAPABILITIES = ours.CAPABILITIES


class Lock(ours.Lock):
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
