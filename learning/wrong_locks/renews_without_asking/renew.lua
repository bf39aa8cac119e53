-- KEYS[1] the lock; ARGV[1] the token; ARGV[2] the lease, ms
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
