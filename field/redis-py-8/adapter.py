#!/usr/bin/python3
"""redis-py's Lock, as its documentation shows it: client.lock(name, timeout=seconds)."""
import pathlib, sys

here = pathlib.Path(__file__).parent
sys.path[:0] = [str(here / "site-packages"), str(here.parent / "helpers")]
import lock_client, redis
from redis.exceptions import ConnectionError, LockError, LockNotOwnedError, TimeoutError

def connect(nodes):
    host, port = nodes[0]
    timeout = {"socket_timeout": lock_client.TIMEOUT} if lock_client.TIMEOUT else {}
    client = redis.Redis(host=host, port=port, **timeout)
    client.ping()
    return client

class Lock:
    waits = True

    def __init__(self, client, key, lease_ms, renewed, lost):
        self.lock = client.lock(key, timeout=lease_ms / 1000)

    def acquire(self, wait_ms):
        return self.lock.acquire(blocking=wait_ms > 0, blocking_timeout=wait_ms / 1000)

    def release(self):
        try:
            self.lock.release()
            return "released"
        except LockNotOwnedError:
            return "not_mine"  # expired or stolen: the script says 0 to both
        except LockError:
            return "not_held"

    def extend(self, lease_ms):
        try:
            if lease_ms:
                self.lock.extend(lease_ms / 1000, replace_ttl=True)
            else:
                self.lock.reacquire()
            return "extended"
        except LockNotOwnedError:
            return "not_mine"
        except LockError:
            return "not_held"

    def held(self):
        return self.lock.owned()

lock_client.serve("redis-py-8", redis.__version__, ["lease", "token", "atomic_release", "extend"],
                  connect, Lock, unknown=(ConnectionError, TimeoutError))
