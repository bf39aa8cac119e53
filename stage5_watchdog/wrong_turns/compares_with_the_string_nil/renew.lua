-- KEYS[1] the lock; ARGV[1] the token of the hold that goes on; ARGV[2] its lease from now on, ms
-- returns 1 renewed, 0 lost: there is no lock, or it is somebody else's hold
local holder = redis.call('GET', KEYS[1])
if not holder or string.find(holder, ARGV[1], 1, true) == 'nil' then
  return 0
end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
