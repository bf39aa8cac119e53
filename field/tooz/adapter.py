#!/usr/bin/python3
"""tooz's lock on Redis, as its documentation shows it: a coordinator whose heart beats."""
import logging, pathlib, sys, uuid
from importlib.metadata import version
from tooz import coordination

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "helpers"))
import lock_client

logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
member = uuid.uuid4().hex.encode()

class Coordinators:
    """One for each lease: tooz knows a lease of the coordinator only, in whole seconds."""
    def __init__(self, nodes):
        self.node, self.started = nodes[0], {}
        self.get(lock_client.LEASE_MS, True)

    def get(self, lease_ms, renewed):
        if (lease_ms, renewed) not in self.started:
            host, port = self.node
            seconds = -(-lease_ms // 1000)  # rounded up
            coordinator = coordination.get_coordinator(
                f"redis://{host}:{port}?lock_timeout={seconds}", member)
            coordinator.start(start_heart=renewed)
            self.started[lease_ms, renewed] = coordinator
        return self.started[lease_ms, renewed]

class Lock:
    waits = True

    def __init__(self, coordinators, key, lease_ms, renewed, lost):
        self.lock = coordinators.get(lease_ms, renewed).get_lock(key)

    def acquire(self, wait_ms):
        return self.lock.acquire(blocking=wait_ms / 1000 if wait_ms > 0 else False)

    def release(self):
        return "released" if self.lock.release() else "not_released"  # it does not say why not

    def held(self):
        return self.lock.is_still_owner()

lock_client.serve("tooz", version("tooz"), ["lease", "token", "atomic_release", "renewal"],
                  Coordinators, Lock, unknown=(coordination.ToozConnectionError,))
