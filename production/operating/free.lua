-- KEYS[1] the lock; ARGV[1] the token of the hold that is to end; ARGV[2] where a release is announced
-- returns 1 removed, 2 removed and it is the fair queue's, 0 nobody holds the lock any more, -1 somebody else does
local kind = redis.call('TYPE', KEYS[1]).ok
if kind == 'none' then
  return 0
end
local token = kind == 'hash' and redis.call('HGET', KEYS[1], 'token') or kind == 'string' and redis.call('GET', KEYS[1])
if token ~= ARGV[1] then
  return -1
end
local is_fair = kind == 'hash' and redis.call('HEXISTS', KEYS[1], 'after') == 1
redis.call('DEL', KEYS[1])
redis.call('PUBLISH', ARGV[2], token)
return is_fair and 2 or 1
