-- KEYS what the lock protects, a hash; ARGV "read" or "write", fencing token, value to write
-- returns the value read, or OK; an error if a client with a newer token has been here
-- To take home: the check that a lock cannot do for a store. A read raises the fence as well: else
-- an old holder's write that comes between a new holder's read and its first write is taken, and
-- then lost.
local store = KEYS[1]
local action, token, value = unpack(ARGV)
local newest = tonumber(redis.call('HGET', store, 'fence') or 0)
if tonumber(token) < newest then
  return redis.error_reply(string.format('FENCED token %s is older than %.0f', token, newest))
end
redis.call('HSET', store, 'fence', token)
if action == 'read' then
  return redis.call('HGET', store, 'value')
end
redis.call('HSET', store, 'value', value)
return redis.status_reply('OK')
