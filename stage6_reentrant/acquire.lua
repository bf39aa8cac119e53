-- KEYS lock; ARGV token of the hold, participant that enters, its depth then, lease (ms),
-- "begin" a hold or "join" one that is there, host and process (for people)
-- returns the lease from now on, ms (above 0): entered; 0: the hold to join is over;
-- -n: it is another client's for n ms more
local lock = KEYS[1]
local token, participant, depth, lease, how, who = unpack(ARGV)
local holder = redis.call('HGET', lock, 'token')
if holder ~= token then
  if how == 'join' then
    return 0
  end
  if holder then
    return -math.max(redis.call('PTTL', lock), 1)
  end
  redis.call('HSET', lock, 'who', who, 'since', redis.call('TIME')[1])
end
-- The largest lease that any participant has asked for. The depth is set and not counted up, so
-- that the same command can come twice.
local granted = math.max(tonumber(lease), tonumber(redis.call('HGET', lock, 'lease') or 0))
local leased = redis.pcall('PEXPIRE', lock, granted)
-- The token comes last: without a lease (the right to is missing, say) there must be no lock.
if leased == 1 then
  redis.call('HSET', lock, 'token', token, participant, depth, 'lease', granted)
elseif not holder then
  redis.pcall('DEL', lock)
end
return leased == 1 and granted or leased
