# exercise: 5
# scenarios: second_try_renewed
# says: second_try_ends_renewal
"""A lock whose renewal ends when its holder tries to take it again."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from joins_renewal import lock as joins_renewal

CAPABILITIES = joins_renewal.CAPABILITIES


class Lock(joins_renewal.Lock):
    def try_acquire(self, lease_ms):
        if self.renewal:
            self.renewal.end()
        return super().try_acquire(lease_ms)
