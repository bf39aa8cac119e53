-- KEYS[1] the marker of a member; ARGV[1] a pattern of keys
-- returns the name and the value of every fencing counter that fits, one after the other
if redis.call('EXISTS', KEYS[1]) == 0 then
  return redis.error_reply('ABSTAIN this node has no marker ' .. KEYS[1])
end
local found = {}
for _, counter in ipairs(redis.call('KEYS', ARGV[1])) do
  -- Others may have keys of such a name, of whatever kind.
  local value = redis.call('TYPE', counter).ok == 'string' and tonumber(redis.call('GET', counter))
  if value then
    found[#found + 1] = counter
    found[#found + 1] = value
  end
end
return found
