-- KEYS lock, its fencing counter; ARGV token of the hold, its fencing token
-- returns 1: the count is that now, or past it; 0: it is not this hold's lock any more, and nothing
-- was changed
local lock, counter = KEYS[1], KEYS[2]
local token, fencing = unpack(ARGV)
-- Only for a hold that is still there. A counter that any client may raise would give the same
-- token to two holds, if one of them has lost this node to the other meanwhile.
if redis.call('HGET', lock, 'token') ~= token then
  return 0
end
local count = tonumber(redis.call('GET', counter) or 0)
if count < tonumber(fencing) then
  redis.call('SET', counter, fencing)
end
redis.call('HSET', lock, 'fencing', fencing)
return 1
