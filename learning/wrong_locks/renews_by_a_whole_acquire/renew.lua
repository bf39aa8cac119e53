-- KEYS[1] the lock, KEYS[2] the marker of a member, if one is asked for; ARGV[1] the token of the hold that goes on; ARGV[2] its lease from now on, ms; ARGV[3] the participant that asks
-- returns 1 renewed, 0 lost: there is no lock, or it is somebody else's hold, or this node does not know that participant
-- A node that lost its data does not know what it voted for: without its marker it abstains.
if KEYS[2] and redis.call('EXISTS', KEYS[2]) == 0 then
  return redis.error_reply('ABSTAIN this node has no marker ' .. KEYS[2])
end
local token = redis.call('HGET', KEYS[1], 'token')
if not token then
  redis.call('HSET', KEYS[1], 'token', ARGV[1], 'who', '', 'since', 0, 'lease', ARGV[2], ARGV[3], 1)
  token = ARGV[1]
end
if token == ARGV[1] then
  local lease = math.max(tonumber(ARGV[2]), tonumber(redis.call('HGET', KEYS[1], 'lease')))
  -- A node that has missed the longest lease that was asked for hears of it now.
  redis.call('HSET', KEYS[1], 'lease', lease)
  return redis.call('PEXPIRE', KEYS[1], lease)
end
return 0
