-- KEYS marker of a member; ARGV a pattern of keys
-- returns the name and the value of every fencing counter that fits, one after the other
local marker, pattern = KEYS[1], ARGV[1]
if redis.call('EXISTS', marker) == 0 then
  return redis.error_reply('ABSTAIN this node has no marker ' .. marker)
end
local found = {}
for _, counter in ipairs(redis.call('KEYS', pattern)) do
  -- Others may have keys of such a name, of whatever kind.
  local value = redis.call('TYPE', counter).ok == 'string' and tonumber(redis.call('GET', counter))
  if value then
    found[#found + 1] = counter
    found[#found + 1] = value
  end
end
return found
