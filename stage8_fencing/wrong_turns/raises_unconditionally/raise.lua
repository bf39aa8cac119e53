-- KEYS lock, its fencing counter; ARGV token of the hold, its fencing token
-- returns 1: that is the count now; -1: the count is past that, and nothing was changed
local counter, fencing = KEYS[2], ARGV[2]
-- A hold that came late here, after one with the same number, was counted past it.
local count = tonumber(redis.call('GET', counter) or 0)
if count > tonumber(fencing) then
  return -1
end
if count < tonumber(fencing) then
  redis.call('SET', counter, fencing)
end
return 1
