# exercise: python4
# scenarios: late_renewal
# broken: owner-only renewal
"""A lock that is renewed by a thread which asks nobody whose it is."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from joins_renewal import lock as joins_renewal

CAPABILITIES, Lock = joins_renewal.CAPABILITIES, joins_renewal.Lock


def renew(self):
    self.server.command("PEXPIRE", self.key, self.lease_ms)


joins_renewal.Renewal.renew = renew
joins_renewal.Renewal.end = lambda self: self.over.set()
