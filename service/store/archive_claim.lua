-- Take a game for a while, so that nobody else archives it; who has it already keeps it for as long again.
--
-- KEYS  1 lease   ARGV  1 who takes it   2 seconds
-- Returns 1, or 0 where somebody else has it.

local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then
  return 0
end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
return 1
