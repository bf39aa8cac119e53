-- KEYS lock; ARGV token of the hold, participant that leaves, its depth then, channel of releases
-- returns 1 removed, 2 still held, 0 there is no lock (its lease has run out), -1 another hold's
local lock = KEYS[1]
local token, participant, depth, channel = unpack(ARGV)
local holder = redis.call('HGET', lock, 'token')
if not holder then
  return 0
end
if holder ~= token then
  return -1
end
redis.call('DEL', lock)
redis.call('PUBLISH', channel, token)
return 1
