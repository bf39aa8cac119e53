-- KEYS[1] the lock, KEYS[2] its fencing counter; ARGV[1] the hold's token; ARGV[2] its fencing token
-- returns 1: that is the count now; 0: it is not this hold's lock any more; -1: the count is past that; in both nothing was changed
-- Only for a hold that is still there. A counter that anybody may raise would give the same token
-- to two holds, if one of them has lost this node to the other meanwhile.
if redis.call('HGET', KEYS[1], 'token') ~= ARGV[1] then
  return 0
end
-- A hold that came late here, after one with the same number, was counted past it.
local count = tonumber(redis.call('GET', KEYS[2]) or 0)
if count > tonumber(ARGV[2]) then
  return -1
end
if count < tonumber(ARGV[2]) then
  redis.call('SET', KEYS[2], ARGV[2])
end
redis.call('HSET', KEYS[1], 'fencing', ARGV[2])
return 1
