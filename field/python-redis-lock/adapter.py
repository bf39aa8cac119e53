#!/usr/bin/python3
"""python-redis-lock, as its README shows it: Lock(client, name, expire=seconds), renewed by its own
thread (auto_renewal) where the request names no lease."""
import math, pathlib, sys, time

here = pathlib.Path(__file__).parent
sys.path[:0] = [str(here / "site-packages"), str(here.parent / "helpers")]
import lock_client, redis, redis_lock
from redis.exceptions import ConnectionError, TimeoutError

def connect(nodes):
    host, port = nodes[0]
    other = lock_client.VARIANT in ("command_timeout", "no_timeout")
    timeout = {"socket_timeout": lock_client.TIMEOUT} if other else {}
    client = redis.Redis(host=host, port=port, **timeout)
    client.ping()
    return client

class Lock:
    waits = True

    def __init__(self, client, key, lease_ms, renewed, lost):
        self.lease = math.ceil(lease_ms / 1000)
        self.lock = redis_lock.Lock(client, key, expire=self.lease, auto_renewal=renewed)

    def acquire(self, wait_ms):
        if wait_ms == 0:
            return self.lock.acquire(blocking=False)
        end = time.monotonic() + wait_ms / 1000
        while (left := end - time.monotonic()) > 0:  # it refuses to wait longer than the lease
            if self.lock.acquire(timeout=min(math.ceil(left), self.lease)):
                return True
        return False

    def release(self):
        try:
            self.lock.release()
            return "released"
        except redis_lock.NotAcquired:
            return "not_mine"  # expired or stolen: the script says 1 to both

    def extend(self, lease_ms):
        try:
            self.lock.extend(expire=math.ceil(lease_ms / 1000) if lease_ms else None)
            return "extended"
        except redis_lock.NotAcquired:
            return "not_mine"  # expired or stolen: the script says 1 to both

    def held(self):
        return self.lock.get_owner_id() == self.lock.id

lock_client.serve("python-redis-lock", redis_lock.__version__,
                  ["lease", "token", "atomic_release", "renewal", "extend"],
                  connect, Lock, unknown=(ConnectionError, TimeoutError))
