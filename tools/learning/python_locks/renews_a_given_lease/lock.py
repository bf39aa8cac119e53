# exercise: python4
# scenarios: overrun_release
# says: renews_a_given_lease
"""A thread renews every hold, whatever lease was asked for."""
import secrets
import threading

CAPABILITIES = ["lease", "token", "atomic_release", "renewal"]


STEP = """
local what, token, lease = ARGV[1], ARGV[2], ARGV[3]
local holder = redis.call('GET', KEYS[1])
if what == 'take' then
  if holder then return 'no' end
  redis.call('PSETEX', KEYS[1], lease, token)
  return 'yes'
end
if not holder then return 'gone' end
if holder ~= token then return 'other' end
if what == 'renew' then redis.call('PEXPIRE', KEYS[1], lease) else redis.call('DEL', KEYS[1]) end
return 'yes'
"""


class Lock:
    def __init__(self, server, key):
        self.server, self.key, self.token = server, key, None
        self.second = type(server)("%s:%s" % server.where, server.timeout)
        self.over, self.thread = None, None

    def step(self, server, what, token, lease=0):
        return server.command("EVAL", STEP, 1, self.key, what, token, lease)

    def try_acquire(self, lease_ms):
        token = secrets.token_hex(16)
        try:
            said = self.step(self.server, "take", token, lease_ms)
        except self.server.Lost:
            try:
                self.step(self.server, "leave", token)
            except (self.server.Lost, OSError):
                pass
            return "unknown"
        if said == "no":
            return "contended"
        self.stop()
        self.token, self.over = token, threading.Event()
        what = (token, lease_ms, self.over)
        self.thread = threading.Thread(target=self.renew, args=what, daemon=True)
        self.thread.start()
        return "acquired"

    def renew(self, token, lease_ms, over):
        while not over.wait(lease_ms / 3000):
            try:
                if self.step(self.second, "renew", token, lease_ms) != "yes":
                    return
            except (self.server.Lost, OSError):
                pass

    def stop(self):
        if self.thread:
            self.over.set()
            self.thread.join()
            self.thread = None

    def release(self):
        if self.token is None:
            return "not_held"
        self.stop()
        try:
            said = self.step(self.server, "leave", self.token)
        except self.server.Lost:
            return "unknown"
        self.token = None
        return {"yes": "released", "gone": "expired", "other": "stolen"}[said]
