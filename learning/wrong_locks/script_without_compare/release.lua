-- KEYS[1] the lock; ARGV[1] the token
return redis.call('DEL', KEYS[1])
