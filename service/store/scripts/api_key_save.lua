-- Store an API key, unless somebody else has changed it.
--
-- KEYS  1 API key
-- ARGV  1 revision that it has (0 for a new key)   2 record
-- Returns 1 if it is stored; 0 if it has another revision.

local key = KEYS[1]
local current = redis.call('HMGET', key, 'version', 'record')

-- After a lost connection this may be a repetition. The HSET is a write, so that WAIT has something to wait for.
if current[2] == ARGV[2] then
  redis.call('HSET', key, 'record', ARGV[2])
  return 1
end
if (current[1] or '0') ~= ARGV[1] then
  return 0
end
redis.call('HSET', key, 'version', string.format('%d', ARGV[1] + 1), 'record', ARGV[2])
return 1
