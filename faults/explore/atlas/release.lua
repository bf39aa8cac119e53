-- KEYS[1] the lock; ARGV[1] the token of the hold that ends
-- returns 1 removed, 0 there is no lock (its lease has run out), -1 another client's hold
local holder = redis.call('GET', KEYS[1])
if not holder then
  return 0
end
if holder ~= ARGV[1] then
  return -1
end
return redis.call('DEL', KEYS[1])
