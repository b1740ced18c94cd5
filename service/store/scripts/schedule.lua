-- Set the due date of an entry before the commit that brings it.
--
-- An earlier date stays, because the commit may still lose against another. Its mark (see reschedule.lua) is removed,
-- because the commit may still be stored.
--
-- KEYS  1 queue
-- ARGV  1 entry   2 Unix second of the date
-- Returns 1 if the date is set; 0 if an earlier one stays.

local at = tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]) or 'inf')
if at >= tonumber(ARGV[2]) then
  redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
  return 1
end
if at % 1 ~= 0 then
  redis.call('ZADD', KEYS[1], math.floor(at), ARGV[1])
end
return 0
