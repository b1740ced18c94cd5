-- Move a due game that failed to a later date, unless another instance has moved it meanwhile.
--
-- KEYS  1 schedule
-- ARGV  1 game   2 now   3 Unix second of the new date
-- Returns 1 if it was moved; 0 if it is not due.

local at = tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]) or 'inf')
if at > tonumber(ARGV[2]) then
  return 0
end
redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1])
return 1
