-- Move the date of a game after a look at it, which found it due later or never.
--
-- The look may be outdated: a commit that has scheduled an earlier date since may be about to be stored. So the game is
-- first moved to a date a little later, marked by a half second. The next look counts if the mark is still there, since
-- schedule.lua removes it.
--
-- KEYS  1 schedule
-- ARGV  1 game   2 now   3 Unix second of the new date ('' for never)   4 a date a little later than now, with the mark
-- Returns nothing.

local at = tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]) or 'inf')
local is_marked = at % 1 == 0.5
local is_confirmed = is_marked and at <= tonumber(ARGV[2])
local due = tonumber(ARGV[3])

if due and (is_confirmed or due <= tonumber(ARGV[4]) or at == math.huge) then
  redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1])
elseif is_confirmed then
  redis.call('ZREM', KEYS[1], ARGV[1])
elseif at ~= math.huge and not is_marked then
  redis.call('ZADD', KEYS[1], ARGV[4], ARGV[1])
end
