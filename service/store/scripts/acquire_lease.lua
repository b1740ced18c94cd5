-- Acquire or extend the lease of a game or a webhook, so that nobody else works on it.
--
-- KEYS  1 lease   2 game (if there are fields)
-- ARGV  1 holder   2 seconds   3... fields of the game, of which the first must exist
-- Returns the values of these fields; 0 if somebody else has the lease; -1 if the first field does not exist.

local values = ARGV[3] and redis.call('HMGET', KEYS[2], unpack(ARGV, 3)) or {''}
if not values[1] then
  redis.call('DEL', KEYS[1])
  return -1
end
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then
  return 0
end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
return values
