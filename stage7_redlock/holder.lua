-- KEYS[1] the lock
-- returns the holder (host and process), since when (s, by this server's clock), how long its lease lasts (ms); nothing if nobody does
local fields = redis.call('HMGET', KEYS[1], 'who', 'since')
if not fields[1] then
  return {}
end
return {fields[1], tonumber(fields[2]), redis.call('PTTL', KEYS[1])}
