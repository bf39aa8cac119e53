-- KEYS lock, its fencing counter; ARGV token of the hold, participant that leaves, its depth then,
-- channel on which the release is announced, fencing token of the hold
-- returns 1 removed, 2 still held, 0 there is no lock (its lease has run out), -1 another hold's
local lock, counter = KEYS[1], KEYS[2]
local token, participant, depth, channel, fencing = unpack(ARGV)
local holder = redis.call('HGET', lock, 'token')
if not holder then
  return 0
end
if holder ~= token then
  return -1
end
-- This node may have given the hold a smaller number than the one that it has.
if tonumber(redis.call('GET', counter) or 0) < tonumber(fencing) then
  redis.call('SET', counter, fencing)
end
if tonumber(depth) > 0 then
  redis.call('HSET', lock, participant, depth)
  return 2
end
redis.call('HDEL', lock, participant)
-- Beside the participants there are five fields: token, who, since, fencing, lease.
if redis.call('HLEN', lock) > 5 then
  return 2
end
-- Waiters cannot act on it before the script ends; without the right to it the lock stays.
redis.call('PUBLISH', channel, token)
redis.call('DEL', lock)
return 1
