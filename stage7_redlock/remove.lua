-- KEYS[1] the lock; ARGV[1] the channel of its releases
-- returns 1 removed, whoever held it; 0 there is no lock
local removed = redis.call('DEL', KEYS[1])
if removed == 1 then
  redis.call('PUBLISH', ARGV[1], '')
end
return removed
