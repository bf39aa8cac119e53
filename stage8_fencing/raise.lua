-- KEYS lock, its fencing counter; ARGV token of the hold, its fencing token
-- returns 1: that is the count now; 0: it is not this hold's lock any more; -1: the count is past
-- that; in both nothing was changed
local lock, counter = KEYS[1], KEYS[2]
local token, fencing = unpack(ARGV)
-- Only for a hold that is still there. A counter that any client may raise would give the same
-- token to two holds, if one of them has lost this node to the other meanwhile.
if redis.call('HGET', lock, 'token') ~= token then
  return 0
end
-- A hold that came late here, after one with the same number, was counted past it.
local count = tonumber(redis.call('GET', counter) or 0)
if count > tonumber(fencing) then
  return -1
end
if count < tonumber(fencing) then
  redis.call('SET', counter, fencing)
end
redis.call('HSET', lock, 'fencing', fencing)
return 1
