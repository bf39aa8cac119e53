-- KEYS[1] the lock; ARGV[1] the hold's token; ARGV[2] the participant that leaves; ARGV[3] its depth then; ARGV[4] where a release is announced
-- returns 1 removed, 2 still held, 0 there is no lock (its lease has run out), -1 somebody else's hold
local token = redis.call('HGET', KEYS[1], 'token')
if not token then
  return 0
end
if token ~= ARGV[1] then
  return -1
end
-- To be written: who leaves an inner level stays inside, and so does everybody else who is.
redis.call('DEL', KEYS[1])
redis.call('PUBLISH', ARGV[4], 'released')
return 1
