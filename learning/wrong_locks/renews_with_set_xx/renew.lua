-- KEYS[1] the lock; ARGV[1] the token; ARGV[2] the lease, ms
if redis.call('SET', KEYS[1], ARGV[1], 'XX', 'PX', ARGV[2]) then
  return 1
end
return 0
