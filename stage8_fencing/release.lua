-- KEYS[1] the lock, KEYS[2] its fencing counter; ARGV[1] the hold's token; ARGV[2] the participant that leaves; ARGV[3] its depth then; ARGV[4] the hold's fencing token
-- returns 1 removed, 2 still held, 0 there is no lock (its lease has run out), -1 somebody else's hold
local token = redis.call('HGET', KEYS[1], 'token')
if not token then
  return 0
end
if token ~= ARGV[1] then
  return -1
end
if tonumber(redis.call('GET', KEYS[2]) or 0) < tonumber(ARGV[4]) then
  redis.call('SET', KEYS[2], ARGV[4])
end
if tonumber(ARGV[3]) > 0 then
  redis.call('HSET', KEYS[1], ARGV[2], ARGV[3])
  return 2
end
redis.call('HDEL', KEYS[1], ARGV[2])
-- Beside those inside there are five fields: token, who, since, fencing, lease.
if redis.call('HLEN', KEYS[1]) > 5 then
  return 2
end
redis.call('DEL', KEYS[1])
return 1
