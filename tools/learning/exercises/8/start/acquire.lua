-- KEYS[1] the lock, KEYS[2] its fencing counter, KEYS[3] the marker of a member, if one is asked for; ARGV[1] the hold's token; ARGV[2] the participant that enters; ARGV[3] its depth then; ARGV[4] lease, ms; ARGV[5] "begin" a hold, or "join" one that is there; ARGV[6] host and process, for people; ARGV[7] its fencing token, 0 if it is to get one
-- returns {the lease from now on, ms (above 0), the fencing token here}: entered; {0, 0}: the hold to join is over; {-n, 0}: it is somebody else's for n ms more
-- A node that lost its data does not know what it voted for: without its marker it abstains.
if KEYS[3] and redis.call('EXISTS', KEYS[3]) == 0 then
  return redis.error_reply('ABSTAIN this node has no marker ' .. KEYS[3])
end
local token = redis.call('HGET', KEYS[1], 'token')
if token ~= ARGV[1] then
  if ARGV[5] == 'join' then
    return {0, 0}
  end
  if token then
    return {-math.max(redis.call('PTTL', KEYS[1]), 1), 0}
  end
  redis.call('HSET', KEYS[1], 'token', ARGV[1], 'who', ARGV[6], 'since', redis.call('TIME')[1])
end
-- To be written: the counter KEYS[2], for a new hold; and ARGV[7], for one that has its token already.
-- The hold keeps its token in its field "fencing", always: release.lua counts on that field.
-- The largest lease that anybody inside has asked for. The depth is set and not counted up, so that
-- the same command can come twice.
local lease = math.max(tonumber(ARGV[4]), tonumber(redis.call('HGET', KEYS[1], 'lease') or 0))
redis.call('HSET', KEYS[1], ARGV[2], ARGV[3], 'lease', lease)
redis.call('PEXPIRE', KEYS[1], lease)
return {lease, 0}
