# exercise: 5
# scenarios: frozen_renewal
# says: checks_then_renews
"""A lock whose renewal compares in one command and prolongs in another; release waits for it."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from joins_renewal import lock as joins_renewal

CAPABILITIES, Lock = joins_renewal.CAPABILITIES, joins_renewal.Lock


def renew(self):
    if self.server.command("GET", self.key) == self.token:
        self.server.command("PEXPIRE", self.key, self.lease_ms)


joins_renewal.Renewal.renew = renew
