-- KEYS[1] the lock, KEYS[2] the waiters in line for it; ARGV[1] the hold's token; ARGV[2] the participant that leaves; ARGV[3] its depth then; ARGV[4] "release", or "roll back" an acquire; ARGV[5] the channel of its releases; ARGV[6] the waiter that gets the lock next, if the holder knows one
-- returns 1 removed, or handed over, 2 still held, 0 there is no lock (its lease has run out), -1 somebody else's hold
local token = redis.call('HGET', KEYS[1], 'token')
if not token then
  redis.call('PUBLISH', ARGV[5], ARGV[1])
  return 0
end
if token ~= ARGV[1] then
  -- The second request of a holder that has handed it over.
  return redis.call('HGET', KEYS[1], 'after') == ARGV[1] and 1 or -1
end
if tonumber(ARGV[3]) > 0 then
  redis.call('HSET', KEYS[1], ARGV[2], ARGV[3])
  return 2
end
redis.call('HDEL', KEYS[1], ARGV[2])
-- Beside the participants there are five fields: token, who, since, after, lease.
if redis.call('HLEN', KEYS[1]) > 5 then
  return 2
end
redis.call('DEL', KEYS[1])
if ARGV[4] == 'roll back' then
  redis.call('PUBLISH', ARGV[5], '')
  return 1
end
-- The next waiter: the one that the holder names, at all nodes the same. Otherwise the first in line
-- here, which is only told: another node may have another one.
local named = ARGV[6] ~= ''
local next = named and ARGV[6] or redis.call('ZPOPMIN', KEYS[2])[1]
if next then
  redis.call('ZREM', KEYS[2], next)
  local after = redis.call('ZRANGE', KEYS[2], 0, 0)[1] or ''
  local token, process, thread, lease, who = string.match(next, '^(%S+) (%w+):(%w+) (%d+) (.*)$')
  local message = table.concat({ARGV[1], next, named and 1 or 0, after}, '\n')
  -- PUBLISH says how many are told: a process that is gone is not waited for.
  if redis.call('PUBLISH', ARGV[5] .. ':' .. process, message) > 0 then
    if named then
      redis.call('HSET', KEYS[1], 'token', token, 'who', who, 'since', redis.call('TIME')[1],
                 'after', ARGV[1], process .. ':' .. thread, 1, 'lease', lease)
      redis.call('PEXPIRE', KEYS[1], lease)
    end
    return 1
  end
end
redis.call('PUBLISH', ARGV[5], ARGV[1])
return 1
