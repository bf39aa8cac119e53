-- KEYS[1] the lock; KEYS[2] the counter of its fencing tokens, if it has one; ARGV[1] the token of
-- the hold; ARGV[2] its lease in ms
-- returns 0 there is a lock; otherwise its fencing token, or 1
if not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
  return 0
end
if KEYS[2] then
  return redis.call('INCR', KEYS[2])
end
return 1
