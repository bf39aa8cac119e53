# exercise: python4
# scenarios: command_lost_release
# holds: true
# says: releases_in_two_steps
"""A release that is asked again compares and deletes in two commands."""
import sys

sys.path.append(sys.path[0] + "/../../exercises/python4")
from solution import lock as ours
from start import lock as in_two_steps

CAPABILITIES = ours.CAPABILITIES


class Lock(ours.Lock):
    again = False

    def release(self):
        outcome = super().release()
        self.again = outcome == "unknown"
        return outcome

    def leave(self, token):
        return (in_two_steps if self.again else ours).Lock.leave(self, token)
