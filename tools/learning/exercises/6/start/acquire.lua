-- KEYS lock; ARGV token of the hold, participant that enters, its depth then, lease (ms),
-- "begin" a hold or "join" one that is there, host and process (for people)
-- returns the lease from now on, ms (above 0): entered; 0: the hold to join is over;
-- -n: it is another client's for n ms more
local lock = KEYS[1]
local token, participant, depth, lease, how, who = unpack(ARGV)
-- To be written: a participant of the hold may enter once more, and the lease becomes the longest
-- that was asked for. As it is, a hold that is there is another client's, and there is none to join.
if how == 'join' then
  return 0
end
if redis.call('EXISTS', lock) == 1 then
  return -math.max(redis.call('PTTL', lock), 1)
end
redis.call('HSET', lock, 'token', token, 'who', who, 'since', redis.call('TIME')[1])
redis.call('HSET', lock, participant, depth, 'lease', lease)
redis.call('PEXPIRE', lock, lease)
return tonumber(lease)
