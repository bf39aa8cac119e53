-- KEYS[1] the lock; ARGV[1] the hold's token; ARGV[2] the participant that enters; ARGV[3] its depth then; ARGV[4] lease, ms; ARGV[5] "begin" a hold, or "join" one that is there; ARGV[6] host and process, for people
-- returns the lease from now on, ms (above 0): entered; 0: the hold to join is over; -n: it is somebody else's for n ms more
local token = redis.call('HGET', KEYS[1], 'token')
if token ~= ARGV[1] then
  if token then
    return -math.max(redis.call('PTTL', KEYS[1]), 1)
  end
  redis.call('HSET', KEYS[1], 'token', ARGV[1], 'who', ARGV[6], 'since', redis.call('TIME')[1])
end
-- The largest lease that anybody inside has asked for. The depth is set and not counted up, so that
-- the same command can come twice.
local lease = math.max(tonumber(ARGV[4]), tonumber(redis.call('HGET', KEYS[1], 'lease') or 0))
redis.call('HSET', KEYS[1], ARGV[2], ARGV[3], 'lease', lease)
redis.call('PEXPIRE', KEYS[1], lease)
return lease
