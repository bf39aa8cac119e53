# exercise: python1
# scenarios: same_thread_id
# says: there_while_free
"""Whoever takes the one element of a list has the lock: the key is there while it is free."""

CAPABILITIES = []


TAKE = """
if redis.call('SETNX', KEYS[1] .. ':made', '1') == 1 then redis.call('RPUSH', KEYS[1], 'baton') end
local baton = redis.call('LPOP', KEYS[1])
if baton then return baton end
return ''
"""


class Lock:
    def __init__(self, server, key):
        self.server, self.key, self.mine = server, key, False

    def try_acquire(self, lease_ms):
        try:
            got = self.server.command("EVAL", TAKE, 1, self.key)
        except self.server.Lost:
            return "unknown"
        if got != "baton":
            return "contended"
        self.mine = True
        return "acquired"

    def release(self):
        if not self.mine:
            return "not_held"
        try:
            self.server.command("RPUSH", self.key, "baton")
        except self.server.Lost:
            return "unknown"
        self.mine = False
        return "released"
