-- KEYS[1] what the lock protects, a hash; ARGV[1] "read" or "write"; ARGV[2] the fencing token; ARGV[3] the value to write
-- returns the value read, or OK; an error if somebody with a newer token has been here
-- To take home: the check that a lock cannot do for a store. A read raises the fence as well: else
-- an old holder's write that comes between a new holder's read and its first write is taken, and
-- then lost.
local newest = tonumber(redis.call('HGET', KEYS[1], 'fence') or 0)
if tonumber(ARGV[2]) < newest then
  return redis.error_reply('FENCED token ' .. ARGV[2] .. ' is older than ' .. string.format('%.0f', newest))
end
redis.call('HSET', KEYS[1], 'fence', ARGV[2])
if ARGV[1] == 'read' then
  return redis.call('HGET', KEYS[1], 'value')
end
redis.call('HSET', KEYS[1], 'value', ARGV[3])
return redis.status_reply('OK')
