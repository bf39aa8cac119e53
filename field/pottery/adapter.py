#!/usr/bin/python3
"""pottery's Redlock, as its README shows it: a new object each time, acquire() and release()."""
import importlib.metadata, logging, pathlib, sys

here = pathlib.Path(__file__).parent
sys.path[:0] = [str(here / "site-packages"), str(here.parent / "helpers")]
import lock_client, redis
from pottery import ExtendUnlockedLock, Redlock, ReleaseUnlockedLock, TooManyExtensions

logging.disable()  # it logs each error of a server with its traceback

def connect(nodes):
    timeout = {"socket_timeout": lock_client.TIMEOUT} if lock_client.TIMEOUT else {}
    masters = {redis.Redis(host=host, port=port, **timeout) for host, port in nodes}
    for master in masters:
        master.ping()
    return masters

class Lock:
    waits = True

    def __init__(self, masters, key, lease_ms, renewed, lost):
        self.lock = Redlock(key=key, masters=masters, auto_release_time=lease_ms / 1000)

    def acquire(self, wait_ms):
        how = {"timeout": wait_ms / 1000} if wait_ms > 0 else {"blocking": False}
        return self.lock.acquire(**how) or "not_acquired"  # taken, or too few servers answered

    def release(self):
        try:
            self.lock.release()
            return "released"
        except ReleaseUnlockedLock as error:
            return "not_released" if error.redis_errors else "not_mine"

    def extend(self, lease_ms):  # it asks for auto_release_time, and takes no other
        try:
            self.lock.extend()
            return "extended"
        except TooManyExtensions:
            return "not_extended"
        except ExtendUnlockedLock as error:
            return "not_extended" if error.redis_errors else "not_mine"

    def held(self):
        return self.lock.locked() > 0

lock_client.serve("pottery", importlib.metadata.version("pottery"),
                  ["lease", "token", "atomic_release", "quorum", "extend"], connect, Lock)
