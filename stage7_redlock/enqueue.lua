-- KEYS[1] the lock, KEYS[2] the waiters in line for it; ARGV[1] the waiter; ARGV[2] its entry of an earlier try, whose place it keeps; ARGV[3] for how long to remember the line, ms
-- returns 0 the waiter is in line; 1 the lock is free here, and nobody is in line: ask all nodes
local place = redis.call('ZSCORE', KEYS[2], ARGV[2])
redis.call('ZREM', KEYS[2], ARGV[2])
if redis.call('EXISTS', KEYS[1], KEYS[2]) == 0 then
  return 1
end
local now = redis.call('TIME')
redis.call('ZADD', KEYS[2], 'NX', place or now[1] * 1000000 + now[2], ARGV[1])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
return 0
