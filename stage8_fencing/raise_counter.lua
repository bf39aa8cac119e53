-- KEYS[1] a fencing counter; ARGV[1] a value
-- returns the counter, which is at least that value now
if tonumber(redis.call('GET', KEYS[1]) or 0) < tonumber(ARGV[1]) then
  redis.call('SET', KEYS[1], ARGV[1])
end
return tonumber(redis.call('GET', KEYS[1]))
