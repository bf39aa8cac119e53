# exercise: python4
# scenarios: frozen_mid_release stranger_release overrun_release reply_lost_release
# holds: true
"""A lock with a token; its release removes what is there, and puts back what is another's."""
import sys

sys.path.append(sys.path[0] + "/../../exercises/python4")
from solution import lock as ours

CAPABILITIES, Lock = ours.CAPABILITIES, ours.Lock

ours.RELEASE = """
local rest = redis.call('PTTL', KEYS[1])
local holder = redis.call('GET', KEYS[1])
if redis.call('DEL', KEYS[1]) == 0 then return 0 end
if holder == ARGV[1] then return 1 end
redis.call('SET', KEYS[1], holder, 'PX', rest)
return -1
"""
