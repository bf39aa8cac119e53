-- KEYS[1] the lock; ARGV[1] the token of the hold that goes on; ARGV[2] its lease from now on, ms
-- returns 1 renewed, 0 lost: there is no lock, or it is somebody else's hold
if redis.call('HGET', KEYS[1], 'token') == ARGV[1] then
  local lease = math.max(tonumber(ARGV[2]), tonumber(redis.call('HGET', KEYS[1], 'lease')))
  return redis.call('PEXPIRE', KEYS[1], lease)
end
return 0
