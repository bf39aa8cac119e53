-- KEYS[1] the lock; ARGV[1] the token; ARGV[2] the lease, ms
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
