-- KEYS[1] the lock, KEYS[2] its fencing counter; ARGV[1] the hold's token; ARGV[2] its fencing token
-- returns 1: that is the count now; -1: the count is past that, and nothing was changed
-- A hold that came late here, after one with the same number, was counted past it.
local count = tonumber(redis.call('GET', KEYS[2]) or 0)
if count > tonumber(ARGV[2]) then
  return -1
end
if count < tonumber(ARGV[2]) then
  redis.call('SET', KEYS[2], ARGV[2])
end
return 1
