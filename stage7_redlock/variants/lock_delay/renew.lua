-- KEYS lock, marker of a member (if one is asked for); ARGV token of the hold that goes on, its
-- lease from now on (ms), participant that asks
-- returns 1 renewed, 0 lost: there is no lock, or it is another hold's, or this node does not know
-- that participant
local lock, marker = KEYS[1], KEYS[2]
local token, lease, participant = unpack(ARGV)
-- A node that lost its data does not know what it voted for: without its marker it abstains.
if marker and redis.call('EXISTS', marker) == 0 then
  return redis.error_reply('ABSTAIN this node has no marker ' .. marker)
end
if redis.call('HGET', lock, 'token') == token and redis.call('HEXISTS', lock, participant) == 1 then
  local granted = math.max(tonumber(lease), tonumber(redis.call('HGET', lock, 'lease')))
  -- A node that has missed the longest lease that was asked for learns of it now.
  redis.call('HSET', lock, 'lease', granted)
  return redis.call('PEXPIRE', lock, 2 * granted)
end
return 0
