# exercise: 5
# scenarios: frozen_renewal
# says: renews_anothers
"""A lock whose renewal asks nobody whose it is; release waits for it."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from joins_renewal import lock as joins_renewal

CAPABILITIES, Lock = joins_renewal.CAPABILITIES, joins_renewal.Lock


def renew(self):
    self.server.command("PEXPIRE", self.key, self.lease_ms)


joins_renewal.Renewal.renew = renew
