-- Take tokens from a bucket that refills steadily.
--
-- KEYS  1 bucket: a string with the microsecond of the server's clock at which it is full again, when it expires
-- ARGV  1 tokens wanted   2 capacity   3 seconds in which it refills
-- Returns {tokens taken, whole tokens left, milliseconds until there is one}.

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local wanted, quota, window = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3] * 1000000
local each = window / quota

-- After a failover the clock may be behind. The bucket is then empty, and refills from now on: it is stored even if no
-- token is taken.
local full = math.min(math.max(tonumber(redis.call('GET', KEYS[1]) or 0), now), now + window)
local left = quota - (full - now) / each
-- The small number makes up for rounding errors, which would turn a whole token into none.
local taken = math.min(wanted, math.floor(left + 0.000001))
full = full + taken * each
left = left - taken
redis.call('SET', KEYS[1], string.format('%.0f', full), 'PX', math.max(1, math.ceil((full - now) / 1000)))
local wait = 0
if left < 0.999999 then
  wait = math.ceil((1 - left) * each / 1000)
end
return {taken, math.floor(left + 0.000001), wait}
