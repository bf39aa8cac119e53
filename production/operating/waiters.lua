-- KEYS[1] the line of waiters of the fair queue, KEY:queue; ARGV[1] how many to name
-- returns {how many wait, host and process of the first of them, ...}
local kind = redis.call('TYPE', KEYS[1]).ok
local last = tonumber(ARGV[1]) - 1
if kind == 'list' then
  local found = {redis.call('LLEN', KEYS[1])}
  for _, waiter in ipairs(redis.call('LRANGE', KEYS[1], 0, last)) do
    found[#found + 1] = cmsgpack.unpack(waiter)[4] or '?'
  end
  return found
end
return {0}
