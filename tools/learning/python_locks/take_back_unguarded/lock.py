# exercise: python4
# scenarios: two_replies_lost_acquire
# says: broken off
"""A lock that fails if it cannot take back what it may have set."""
import sys

sys.path.append(sys.path[0] + "/../../exercises/python4")
from solution import lock as ours

CAPABILITIES = ours.CAPABILITIES


class Lock(ours.Lock):
    def take_back(self, token):
        self.leave(token)
