#!/usr/bin/python3
"""python3-etcd3's Lock, as its documentation shows it.

The variant "fencing" asks for the revision of the lock's key, and brings it to the storage."""
import pathlib, sys
import etcd3

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "helpers"))
import lock_client

def connect(nodes):
    host, port = nodes[0]
    client = etcd3.client(host=host, port=port, timeout=lock_client.TIMEOUT)
    client.status()
    return client

class Lock:
    def __init__(self, client, key, lease_ms, renewed, lost):
        self.lock = client.lock(key, ttl=-(-lease_ms // 1000))  # whole seconds, rounded up

    def acquire(self, wait_ms):
        # Asks once: with Debian's tenacity, acquire() that has to wait ends in a TypeError.
        if not self.lock.acquire(timeout=0):
            return False
        if not fencing:
            return True
        value, meta = self.lock.etcd_client.get(self.lock.key)
        return {"fencing_token": meta.create_revision} if value == self.lock.uuid else True

    def release(self):
        return "released" if self.lock.release() else "not_mine"  # never held, expired or stolen

    def held(self):
        return self.lock.is_acquired()

errors = etcd3.exceptions
fencing = lock_client.VARIANT == "fencing"
more = {"fencing": ["fencing"], "three_nodes": ["quorum"]}.get(lock_client.VARIANT, [])
lock_client.serve("etcd", etcd3.__version__, ["lease", "token", "atomic_release", *more],
                  connect, Lock,
                  unknown=(errors.ConnectionFailedError, errors.ConnectionTimeoutError))
