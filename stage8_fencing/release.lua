-- KEYS[1] the lock, KEYS[2] the waiters in line for it, KEYS[3] its fencing counter; ARGV[1] the hold's token; ARGV[2] the participant that leaves; ARGV[3] its depth then; ARGV[4] "release", or "roll back" an acquire; ARGV[5] the channel of its releases; ARGV[6] the waiter that gets the lock next, if the holder knows one; ARGV[7] the hold's fencing token
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
local function count_up_to(fencing)
  if tonumber(redis.call('GET', KEYS[3]) or 0) < fencing then
    redis.call('SET', KEYS[3], string.format('%.0f', fencing))
  end
end
count_up_to(tonumber(ARGV[7]))
if tonumber(ARGV[3]) > 0 then
  redis.call('HSET', KEYS[1], ARGV[2], ARGV[3])
  return 2
end
redis.call('HDEL', KEYS[1], ARGV[2])
-- Beside the participants there are six fields: token, who, since, after, fencing, lease.
if redis.call('HLEN', KEYS[1]) > 6 then
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
  -- The next fencing token: a majority has this one stored, so that nobody can have been given the
  -- next before, and nobody can be given it after.
  local fencing = named and tonumber(ARGV[7]) + 1 or 0
  local message = table.concat({ARGV[1], next, string.format('%.0f', fencing), after}, '\n')
  -- PUBLISH says how many are told: a process that is gone is not waited for.
  if redis.call('PUBLISH', ARGV[5] .. ':' .. process, message) > 0 then
    if named then
      count_up_to(fencing)
      redis.call('HSET', KEYS[1], 'token', token, 'who', who, 'since', redis.call('TIME')[1],
                 'after', ARGV[1], process .. ':' .. thread, 1, 'lease', lease,
                 'fencing', string.format('%.0f', fencing))
      redis.call('PEXPIRE', KEYS[1], lease)
    end
    return 1
  end
end
redis.call('PUBLISH', ARGV[5], ARGV[1])
return 1
