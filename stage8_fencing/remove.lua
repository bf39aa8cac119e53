-- KEYS[1] the lock
-- returns 1 removed, whoever held it; 0 there is no lock
return redis.call('DEL', KEYS[1])
