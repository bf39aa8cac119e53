-- KEYS[1] the lock; ARGV[1] the token of the hold that goes on; ARGV[2] its lease from now on, ms
-- returns 1 renewed, 0 lost: there is no lock, or it is another client's hold
if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return 0
