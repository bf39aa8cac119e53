-- KEYS[1] the lock
return redis.call('DEL', KEYS[1])
