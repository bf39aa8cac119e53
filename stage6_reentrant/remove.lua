-- KEYS lock; ARGV channel for the release
-- returns 1 removed, whoever held it; 0 there is no lock
local lock, channel = KEYS[1], ARGV[1]
local token = redis.call('HGET', lock, 'token')
if not token then
  return 0
end
-- Waiters cannot act on it before the script ends; without the right to it the lock stays.
redis.call('PUBLISH', channel, token)
redis.call('DEL', lock)
return 1
