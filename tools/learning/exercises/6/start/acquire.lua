-- KEYS[1] the lock; ARGV[1] the hold's token; ARGV[2] the participant that enters; ARGV[3] its depth then; ARGV[4] lease, ms; ARGV[5] "begin" a hold, or "join" one that is there; ARGV[6] host and process, for people
-- returns the lease from now on, ms (above 0): entered; 0: the hold to join is over; -n: it is somebody else's for n ms more
-- To be written: whoever is inside may enter once more, and the lease becomes the longest that was
-- asked for. As it is, a hold that is there is somebody else's, and there is none to join.
if ARGV[5] == 'join' then
  return 0
end
if redis.call('EXISTS', KEYS[1]) == 1 then
  return -math.max(redis.call('PTTL', KEYS[1]), 1)
end
redis.call('HSET', KEYS[1], 'token', ARGV[1], 'who', ARGV[6], 'since', redis.call('TIME')[1])
redis.call('HSET', KEYS[1], ARGV[2], ARGV[3], 'lease', ARGV[4])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return tonumber(ARGV[4])
