#!/usr/bin/python3
"""portalocker's RedisLock, as its README shows it: a subscription to a channel is the lock."""
import pathlib, sys
import portalocker
from portalocker.exceptions import AlreadyLocked
from redis.exceptions import ConnectionError, TimeoutError

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "helpers"))
import lock_client

def connect(nodes):
    host, port = nodes[0]
    timeout = {"socket_timeout": lock_client.TIMEOUT} if lock_client.TIMEOUT else {}
    return {"host": host, "port": port, **timeout}

class Lock:
    waits = True

    def __init__(self, redis, key, lease_ms, renewed, lost):  # it has no lease
        self.lock = portalocker.RedisLock(key, redis_kwargs=dict(redis))

    def acquire(self, wait_ms):
        try:
            return bool(self.lock.acquire(timeout=wait_ms / 1000))
        except AlreadyLocked:
            return False

    def release(self):
        if not self.lock.pubsub:
            return "not_held"
        self.lock.release()
        return "no_outcome"  # it returns nothing, whether the channel was still ours or not

lock_client.serve("portalocker", portalocker.__version__, [], connect, Lock,
                  unknown=(ConnectionError, TimeoutError))
