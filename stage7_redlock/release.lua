-- KEYS lock; ARGV token of the hold, participant that leaves, its depth then, channel on which the
-- release is announced
-- returns 1 removed, 2 still held, 0 there is no lock (its lease has run out), -1 another hold's
local lock = KEYS[1]
local token, participant, depth, channel = unpack(ARGV)
local holder = redis.call('HGET', lock, 'token')
if not holder then
  return 0
end
if holder ~= token then
  return -1
end
if tonumber(depth) > 0 then
  redis.call('HSET', lock, participant, depth)
  return 2
end
redis.call('HDEL', lock, participant)
-- Beside the participants there are four fields: token, who, since, lease.
if redis.call('HLEN', lock) > 4 then
  return 2
end
-- Waiters cannot act on it before the script ends; without the right to it the lock stays.
redis.call('PUBLISH', channel, token)
redis.call('DEL', lock)
return 1
