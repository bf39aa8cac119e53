-- KEYS[1] a key that may be a lock
-- returns {its type, ms left of its lease (-1: none), this server's time in s, then its value, or its fields and values}; {'none'} if there is no such key
local kind = redis.call('TYPE', KEYS[1]).ok
if kind == 'none' then
  return {kind}
end
local found = {kind, redis.call('PTTL', KEYS[1]), tonumber(redis.call('TIME')[1])}
if kind == 'string' then
  found[4] = redis.call('GET', KEYS[1])
elseif kind == 'hash' and redis.call('HEXISTS', KEYS[1], 'token') == 1 then
  for _, word in ipairs(redis.call('HGETALL', KEYS[1])) do
    found[#found + 1] = word
  end
end
return found
