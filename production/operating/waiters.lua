-- KEYS lock, line of waiters before it (KEY:line); ARGV how many to name
-- returns {how many wait, host and process of the first of them, ...}
local lock, line = KEYS[1], KEYS[2]
local most = tonumber(ARGV[1])
if redis.call('TYPE', line).ok ~= 'zset' then
  return {0}
end
local found = {redis.call('ZCARD', line)}
for _, waiter in ipairs(redis.call('ZRANGE', line, 0, most)) do
  local participant, who = string.match(waiter, '^%S+ %S+ (%S+) (.*)$')
  if participant and redis.call('HEXISTS', lock, participant) == 1 then
    found[1] = found[1] - 1  -- the holder, which keeps its place
  elseif #found <= most then
    found[#found + 1] = who or '?'
  end
end
return found
