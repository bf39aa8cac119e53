-- KEYS[1] the lock, KEYS[2] the waiters in line for it, KEYS[3] its fencing counter; ARGV[1] the hold's token; ARGV[2] the participant that leaves; ARGV[3] its depth then; ARGV[4] "release", or "roll back" an acquire; ARGV[5] where a release is announced; ARGV[6] the waiter that the lock is handed to, empty if the holder knows none; ARGV[7] the hold's fencing token
-- returns 1 removed or handed over, 2 still held, 0 there is no lock (its lease has run out), -1 somebody else's hold
local token = redis.call('HGET', KEYS[1], 'token')
if not token then
  if ARGV[4] == 'release' then
    redis.call('PUBLISH', ARGV[5], ARGV[1])
  end
  return 0
end
if token ~= ARGV[1] then
  -- 1 to a holder that asks again: it has handed the lock over here.
  return redis.call('HGET', KEYS[1], 'former') == ARGV[1] and 1 or -1
end
local function count_up_to(fencing)
  if tonumber(redis.call('GET', KEYS[3]) or 0) < tonumber(fencing) then
    redis.call('SET', KEYS[3], fencing)
  end
end
count_up_to(ARGV[7])
if tonumber(ARGV[3]) > 0 then
  redis.call('HSET', KEYS[1], ARGV[2], ARGV[3])
  return 2
end
redis.call('HDEL', KEYS[1], ARGV[2])
-- Beside those inside there are five fields: token, who, since, fencing, lease; and former, if it
-- was handed over.
if redis.call('HLEN', KEYS[1]) - redis.call('HEXISTS', KEYS[1], 'former') > 5 then
  return 2
end
redis.call('DEL', KEYS[1])
if ARGV[4] == 'roll back' then
  redis.call('PUBLISH', ARGV[5], '')
  return 1
end
-- The holder's own place, if it got in by asking.
local own = redis.call('ZRANGE', KEYS[2], 0, 0)[1]
if own and string.find(own, ARGV[1] .. ' ', 1, true) == 1 then
  redis.call('ZREM', KEYS[2], own)
end
-- A waiter in line: TOKEN LISTENER PARTICIPANT LEASE WHO. What is announced, one a line: the hold that
-- ended; the waiter; 0, or its fencing token if the lock is handed to it; the waiter behind it.
-- The next waiter: the one that the holder names, at all nodes the same, is handed the lock. Otherwise
-- the first in line here is told, and no more: another node may have another one.
local waiter = ARGV[6] ~= '' and ARGV[6] or redis.call('ZPOPMIN', KEYS[2])[1]
-- It gets the next fencing token, where the count stands at this hold's: where it is past that,
-- somebody may have been given the next already.
local handed = ARGV[6] ~= '' and tonumber(redis.call('GET', KEYS[3])) == tonumber(ARGV[7])
while waiter do
  redis.call('ZREM', KEYS[2], waiter)
  local behind = redis.call('ZRANGE', KEYS[2], 0, 0)[1] or ''
  local token, listener, participant, lease, who = string.match(waiter, '^(%S+) (%S+) (%S+) (%d+) (.*)$')
  local fencing = string.format('%.0f', handed and ARGV[7] + 1 or 0)
  local message = table.concat({ARGV[1], waiter, fencing, behind}, '\n')
  -- PUBLISH says how many have heard it: a waiter whose process is gone is passed over.
  if redis.call('PUBLISH', ARGV[5] .. ':' .. listener, message) > 0 then
    if handed then
      count_up_to(fencing)
      redis.call('HSET', KEYS[1], 'token', token, 'who', who, 'since', redis.call('TIME')[1],
                 'lease', lease, 'former', ARGV[1], 'fencing', fencing, participant, 1)
      redis.call('PEXPIRE', KEYS[1], lease)
    end
    return 1
  end
  handed = false
  waiter = redis.call('ZPOPMIN', KEYS[2])[1]
end
redis.call('PUBLISH', ARGV[5], ARGV[1])
return 1
