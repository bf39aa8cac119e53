# exercise: python4
# scenarios: second_try
# says: own_lock_left
"""A lock that forgets its hold's token when it tries again."""
import secrets
import sys

sys.path.append(sys.path[0] + "/../../exercises/python4")
from solution import lock as ours

CAPABILITIES = ours.CAPABILITIES


class Lock(ours.Lock):
    def try_acquire(self, lease_ms):
        token = self.token = secrets.token_hex(16)
        try:
            answer = self.server.command("SET", self.key, token, "NX", "PX", lease_ms)
        except self.server.Lost:
            self.take_back(token)
            return "unknown"
        return "acquired" if answer == "OK" else "contended"
