-- KEYS[1] the lock; KEYS[2] its queue; ARGV[1] "try" or "wait" to get in, "release", "give up", or "remove" the holder; ARGV[2] the hold's token; ARGV[3] the participant; to get in or to give up also ARGV[4] lease, ms; ARGV[5] host and process, for people; ARGV[6] the channel on which that process listens; ARGV[7] "last" or "first": where it joins the queue
-- returns, to get in: the lease (above 0): entered; -n: it is somebody else's for n ms more; else: 1 removed or handed on, 2 still held, 0 there is no lock, -1 somebody else's hold

-- The element of the queue for the waiter that asks.
local function waiter()
  return cmsgpack.pack({ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]})
end

local function begin(token, participant, lease, who, after)
  redis.call('HSET', KEYS[1], 'token', token, 'who', who, 'since', redis.call('TIME')[1],
             'lease', lease, 'after', after, participant, 1)
  redis.call('PEXPIRE', KEYS[1], lease)
end

-- The free lock goes to the first waiter whose process listens: PUBLISH tells how many do. `after`
-- is the hold that was released, so that its release can come twice.
local function hand_on(after)
  local first = redis.call('LPOP', KEYS[2])
  while first do
    local token, participant, lease, who, channel = unpack(cmsgpack.unpack(first))
    if redis.call('PUBLISH', channel, token .. ' ' .. participant .. ' ' .. KEYS[1]) > 0 then
      return begin(token, participant, lease, who, after)
    end
    first = redis.call('LPOP', KEYS[2])
  end
end

local owner = redis.call('HGET', KEYS[1], 'token')

if ARGV[1] == 'remove' then
  redis.call('DEL', KEYS[1])
  hand_on('')
  return owner and 1 or 0
end

if ARGV[1] == 'release' or ARGV[1] == 'give up' then
  if ARGV[1] == 'give up' then
    redis.call('LREM', KEYS[2], 1, waiter())
  end
  if not owner then
    hand_on('')
    return 0
  end
  if owner ~= ARGV[2] then
    return redis.call('HGET', KEYS[1], 'after') == ARGV[2] and 1 or -1
  end
  redis.call('HDEL', KEYS[1], ARGV[3])
  -- Beside those inside there are five fields: token, who, since, lease, after.
  if redis.call('HLEN', KEYS[1]) > 5 then
    return 2
  end
  redis.call('DEL', KEYS[1])
  hand_on(ARGV[2])
  return 1
end

-- A dead holder has released nothing: the next command hands the lock on, to earlier waiters first.
if not owner and ARGV[7] == 'last' then
  hand_on('')
  owner = redis.call('HGET', KEYS[1], 'token')
end
if owner and owner ~= ARGV[2] then
  if ARGV[1] == 'wait' and not redis.call('LPOS', KEYS[2], waiter()) then
    redis.call(ARGV[7] == 'last' and 'RPUSH' or 'LPUSH', KEYS[2], waiter())
  end
  -- Waiters ask again when this lease is over: an older queue is left over, and expires.
  local left = math.max(redis.call('PTTL', KEYS[1]), 1)
  if redis.call('PTTL', KEYS[2]) < left + 10000 then
    redis.call('PEXPIRE', KEYS[2], left + 10000)
  end
  return -left
end
if owner then
  redis.call('PEXPIRE', KEYS[1], ARGV[4])  -- it was handed to this waiter, or this is its second request
else
  redis.call('LREM', KEYS[2], 1, waiter())
  begin(ARGV[2], ARGV[3], ARGV[4], ARGV[5], '')
end
return tonumber(ARGV[4])
