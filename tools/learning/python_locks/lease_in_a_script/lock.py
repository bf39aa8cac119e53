# exercise: python2
# scenarios: killed_holder killed_second_hold
# holds: true
"""The value says when the lease ends, and a script reads it by the server's clock."""

CAPABILITIES = ["lease"]


TAKE = """
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local ends = tonumber(redis.call('GET', KEYS[1]) or '0')
if ends > now then return 'busy' end
redis.call('SET', KEYS[1], string.format('%d', now + ARGV[1]))
return 'ok'
"""


class Lock:
    def __init__(self, server, key):
        self.server, self.key = server, key

    def try_acquire(self, lease_ms):
        try:
            said = self.server.command("EVAL", TAKE, 1, self.key, lease_ms)
            return "acquired" if said == "ok" else "contended"
        except self.server.Lost:
            return "unknown"

    def release(self):
        try:
            return "released" if self.server.command("DEL", self.key) == "1" else "not_held"
        except self.server.Lost:
            return "unknown"
