#!/usr/bin/python3
"""kazoo's Lock on ZooKeeper, as its documentation shows it: a listener hears of a lost session.

The lease is the session's, which kazoo keeps alive. The variant "fencing" asks for the zxid that
made the lock's node, and brings it to the storage."""
import logging, pathlib, sys
import kazoo
from kazoo.client import KazooClient, KazooState
from kazoo.exceptions import (ConnectionLoss, LockTimeout, NoNodeError, OperationTimeoutError,
                              SessionExpiredError)

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "helpers"))
import lock_client

logging.basicConfig(stream=sys.stderr, level=logging.WARNING)

def connect(nodes):
    hosts = ",".join(f"{host}:{port}" for host, port in nodes)
    client = KazooClient(hosts, timeout=lock_client.LEASE_MS / 1000)
    client.start()
    return client

class Lock:
    waits = True

    def __init__(self, client, key, lease_ms, renewed, lost):
        self.client, self.lock, self.lost = client, client.Lock(f"/{key}", lock_client.NAME), lost

    def listen(self, state):  # SUSPENDED: the connection is gone, and perhaps the session
        if state in (KazooState.SUSPENDED, KazooState.LOST):
            self.lost()
            return True  # heard once, it goes

    def acquire(self, wait_ms):
        try:
            if not self.lock.acquire(blocking=wait_ms > 0, timeout=wait_ms / 1000 or None):
                return False
        except LockTimeout:
            return False
        self.client.add_listener(self.listen)
        if not fencing:
            return True
        try:
            node, stat = self.client.get(f"{self.lock.path}/{self.lock.node}")
            return {"fencing_token": stat.czxid}
        except NoNodeError:
            return True

    def release(self):
        self.client.remove_listener(self.listen)
        # A node that is gone counts as deleted.
        return "no_outcome" if self.lock.release() else "not_held"

fencing = lock_client.VARIANT == "fencing"
more = {"fencing": ["fencing"], "three_nodes": ["quorum"]}.get(lock_client.VARIANT, [])
lock_client.serve("zookeeper", kazoo.__version__,
                  ["lease", "token", "atomic_release", "renewal", "loss_notice", *more],
                  connect, Lock,
                  unknown=(ConnectionLoss, OperationTimeoutError, SessionExpiredError))
