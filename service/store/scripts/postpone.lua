-- A due game failed: it is put off, unless another instance has moved it or put it off meanwhile.
--
-- KEYS  1 due   ARGV  1 game   2 now   3 Unix second at which it is due
-- Returns 1 when it was put off, else 0.

local at = tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]) or 'inf')
if at > tonumber(ARGV[2]) then
  return 0
end
redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1])
return 1
