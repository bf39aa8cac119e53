-- KEYS[1] the lock; ARGV[1] the token
local holder = redis.call('GET', KEYS[1])
if not holder then
  return 0
end
if holder ~= ARGV[2] then
  return -1
end
return redis.call('DEL', KEYS[1])
