-- KEYS[1] a line of waiters: KEY:waiters (stages 7 and 8) or KEY:queue (the fair queue); ARGV[1] how many to name
-- returns {how many wait, host and process of the first of them, ...}
local kind = redis.call('TYPE', KEYS[1]).ok
local last = tonumber(ARGV[1]) - 1
if kind == 'zset' then
  local found = {redis.call('ZCARD', KEYS[1])}
  for _, waiter in ipairs(redis.call('ZRANGE', KEYS[1], 0, last)) do
    found[#found + 1] = string.match(waiter, '^%S+ %S+ %S+ %d+ (.*)$') or '?'
  end
  return found
end
if kind == 'list' then
  local found = {redis.call('LLEN', KEYS[1])}
  for _, waiter in ipairs(redis.call('LRANGE', KEYS[1], 0, last)) do
    found[#found + 1] = cmsgpack.unpack(waiter)[4] or '?'
  end
  return found
end
return {0}
