-- KEYS[1] the lock, KEYS[2] its fencing counter; ARGV[1] the hold's token; ARGV[2] its fencing token
-- returns 1: the counter is that high now; 0: it is not this hold's lock any more, and nothing was changed
if tonumber(redis.call('GET', KEYS[2]) or 0) < tonumber(ARGV[2]) then
  redis.call('SET', KEYS[2], ARGV[2])
end
redis.call('HSET', KEYS[1], 'fencing', ARGV[2])
return 1
