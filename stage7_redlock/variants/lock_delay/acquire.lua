-- KEYS lock, marker of a member (if one is asked for); ARGV token of the hold, participant that
-- enters, its depth then, lease (ms), "begin" a hold or "join" one that is there, host and process
-- returns the lease from now on, ms (above 0): entered; 0: the hold to join is over;
-- {-n, token}: it is that hold's for n ms more
local lock, marker = KEYS[1], KEYS[2]
local token, participant, depth, lease, how, who = unpack(ARGV)
-- A node that lost its data does not know what it voted for: without its marker it abstains.
if marker and redis.call('EXISTS', marker) == 0 then
  return redis.error_reply('ABSTAIN this node has no marker ' .. marker)
end
local holder = redis.call('HGET', lock, 'token')
if holder ~= token then
  if how == 'join' then
    return 0
  end
  if holder then
    return {-math.max(redis.call('PTTL', lock), 1), holder}
  end
  redis.call('HSET', lock, 'who', who, 'since', redis.call('TIME')[1])
end
-- The largest lease that any participant has asked for. The depth is set and not counted up, so
-- that the same command can come twice.
local granted = math.max(tonumber(lease), tonumber(redis.call('HGET', lock, 'lease') or 0))
-- Lock-delay: if the hold is lost, the lock stays closed for a lease more.
local leased = redis.pcall('PEXPIRE', lock, 2 * granted)
-- The token comes last: without a lease (the right to is missing, say) there must be no lock.
if leased == 1 then
  redis.call('HSET', lock, 'token', token, participant, depth, 'lease', granted)
elseif not holder then
  redis.pcall('DEL', lock)
end
return leased == 1 and granted or leased
