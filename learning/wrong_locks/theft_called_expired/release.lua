-- KEYS[1] the lock; ARGV[1] the token of the hold that ends
-- returns 1 removed, 0 there is no lock (its lease has run out), -1 somebody else's hold
local holder = redis.call('GET', KEYS[1])
return holder == ARGV[1] and redis.call('DEL', KEYS[1])
