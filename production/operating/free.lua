-- KEYS lock, line of waiters before it (KEY:line); ARGV token of the hold that is to end, channel
-- of releases
-- returns 1 removed, 0 there is no lock any more, -1 another hold's
local lock, line = KEYS[1], KEYS[2]
local token, channel = unpack(ARGV)
local kind = redis.call('TYPE', lock).ok
if kind == 'none' then
  return 0
end
local holder = kind == 'hash' and redis.call('HGET', lock, 'token')
if kind == 'string' then
  holder = redis.call('GET', lock)
end
if holder ~= token then
  return -1
end
-- The holder keeps the first place in line.
if kind == 'hash' and redis.call('TYPE', line).ok == 'zset' then
  local first = redis.call('ZRANGE', line, 0, 0)[1]
  local participant = string.match(first, '^%S+ %S+ (%S+)') or ''
  if redis.call('HEXISTS', lock, participant) == 1 then
    redis.call('ZREM', line, first)
  end
end
-- Waiters cannot act on it before the script ends; without the right to it the lock stays.
redis.call('PUBLISH', channel, token)
redis.call('DEL', lock)
return 1
