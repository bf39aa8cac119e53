-- KEYS lock
-- returns the holder (host and process), since when (s, by this server's clock), and how long its
-- lease lasts (ms); nothing without a holder
local lock = KEYS[1]
local who, since = unpack(redis.call('HMGET', lock, 'who', 'since'))
if not who then
  return {}
end
return {who, tonumber(since), redis.call('PTTL', lock)}
