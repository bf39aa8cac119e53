-- KEYS a fencing counter; ARGV a value
-- returns the counter, which is at least that value now
local counter, value = KEYS[1], ARGV[1]
if tonumber(redis.call('GET', counter) or 0) < tonumber(value) then
  redis.call('SET', counter, value)
end
return tonumber(redis.call('GET', counter))
