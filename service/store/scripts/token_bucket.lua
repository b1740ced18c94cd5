-- Takes tokens out of a bucket that refills steadily.
--
-- KEYS: the bucket, a string: the microsecond of the server's time at which it is full again; it expires then.
-- ARGV: how many are wanted, how many the bucket holds, the seconds that fill it.
-- Returns how many were taken, how many whole ones are left, and the milliseconds until there is one.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local wanted, quota, window = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3] * 1000000
local each = window / quota

-- Never emptier than empty: after a failover the clock may have gone back.
local full = math.min(math.max(tonumber(redis.call('GET', KEYS[1]) or 0), now), now + window)
local left = quota - (full - now) / each
-- What rounding takes from a whole token is given back.
local taken = math.min(wanted, math.floor(left + 0.000001))
if taken > 0 then
  full = full + taken * each
  left = left - taken
  redis.call('SET', KEYS[1], string.format('%.0f', full), 'PX', math.max(1, math.ceil((full - now) / 1000)))
end
local wait = 0
if left < 0.999999 then
  wait = math.ceil((1 - left) * each / 1000)
end
return {taken, math.floor(left + 0.000001), wait}
