-- Before a commit that has a due date: the game shall be looked at by then. What is due earlier stays so, for the commit
-- may yet lose; its mark (see reschedule.lua) is taken off, for the commit may yet be stored.
--
-- KEYS  1 due   ARGV  1 game   2 Unix second
-- Returns 1 when the date stands, 0 when an earlier one does.

local at = tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]) or 'inf')
if at >= tonumber(ARGV[2]) then
  redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
  return 1
end
if at % 1 ~= 0 then
  redis.call('ZADD', KEYS[1], math.floor(at), ARGV[1])
end
return 0
