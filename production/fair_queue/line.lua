-- KEYS lock, line; ARGV "enter", "stay", "leave" or "quit", the waiter (TOKEN CHANNEL PARTICIPANT
-- WHO); to enter or to stay also µs by which it goes ahead of others, µs that a turn may last
-- returns, to enter or to stay: {1 if it is its turn, ms left of the lock's lease, 1 if another
-- waits behind it}; one that enters and finds a free lock and no line is not put into it;
-- to leave or to quit: 1 if a waiter was given the turn, else 0
local lock, line = KEYS[1], KEYS[2]
local action, own, ahead, longest_turn = unpack(ARGV)
local longest_silence, no_lock = 60000, -2

-- Gives the turn to the first waiter whose process listens: PUBLISH returns how many do.
local function give_turn()
  local waiter, behind = unpack(redis.call('ZRANGE', line, 0, 1))
  while waiter do
    local token, channel = string.match(waiter, '^(%S+) (%S+)')
    local message = token .. (behind and ' 1' or ' 0')
    if waiter == own or redis.call('PUBLISH', channel, message) > 0 then
      return waiter
    end
    redis.call('ZREM', line, waiter)
    waiter, behind = unpack(redis.call('ZRANGE', line, 0, 1))
  end
end

if action == 'leave' then
  redis.call('ZREM', line, own)
  return give_turn() and 1 or 0
end
if action == 'quit' then
  local was_first = redis.call('ZRANGE', line, 0, 0)[1] == own
  redis.call('ZREM', line, own)
  local had_turn = was_first and redis.call('EXISTS', lock) == 0
  return had_turn and give_turn() and 1 or 0
end

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local left = redis.call('PTTL', lock)
-- A waiter's score is the time when it came; of the first one, once it has the turn, minus the time
-- since when. It may be gone: if it lets a free lock lie, it is passed over after a while.
if left == no_lock then
  local waiter, score = unpack(redis.call('ZRANGE', line, 0, 0, 'WITHSCORES'))
  local turn_age = waiter and waiter ~= own and tonumber(score) < 0 and now + score
  if turn_age and math.abs(turn_age) >= tonumber(longest_turn) then
    redis.call('ZREM', line, waiter)
    turn_age = nil
  end
  waiter = turn_age and waiter or give_turn()
  if not waiter and action == 'enter' then
    return {1, left, 0}
  end
  if not turn_age then
    redis.call('ZADD', line, -now, waiter or own)
  end
end
redis.call('ZADD', line, 'NX', now - ahead, own)
redis.call('PEXPIRE', line, longest_silence)
local waiter, score, behind = unpack(redis.call('ZRANGE', line, 0, 1, 'WITHSCORES'))
local has_turn = waiter == own and (tonumber(score) < 0 or action == 'stay')
return {has_turn and 1 or 0, left, behind and 1 or 0}
