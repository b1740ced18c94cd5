-- Take a game or a webhook for a while, so that nobody else works on it; who has it already keeps it for as long again.
--
-- KEYS  1 lease   2 game   ARGV  1 who takes it   2 seconds   3... fields of the game, of which the first must be there
-- Returns these fields, 0 where somebody else has it, or -1: there is no such field.

local found = ARGV[3] and redis.call('HMGET', KEYS[2], unpack(ARGV, 3)) or {''}
if not found[1] then
  redis.call('DEL', KEYS[1])
  return -1
end
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then
  return 0
end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
return found
