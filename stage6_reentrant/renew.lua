-- KEYS lock; ARGV token of the hold that goes on, its lease from now on (ms)
-- returns 1 renewed, 0 lost: there is no lock, or it is another hold's
local lock = KEYS[1]
local token, lease = unpack(ARGV)
if redis.call('HGET', lock, 'token') == token then
  local granted = math.max(tonumber(lease), tonumber(redis.call('HGET', lock, 'lease')))
  return redis.call('PEXPIRE', lock, granted)
end
return 0
