-- Somebody looked at the game and found it due later, or never. A commit may have promised an earlier date since, or be
-- about to be stored. So the date is put off a little first, marked by its half second, and what was found counts when
-- it is found again after that, with the mark still there.
--
-- KEYS  1 due   ARGV  1 game   2 now   3 Unix second at which it is due ('' for never)   4 a little later, a half second
-- Returns nothing.

local at = tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]) or 'inf')
local marked = at % 1 == 0.5
local ripe = marked and at <= tonumber(ARGV[2])
local due = tonumber(ARGV[3])

if due and (ripe or due <= tonumber(ARGV[4]) or at == math.huge) then
  redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1])
elseif ripe then
  redis.call('ZREM', KEYS[1], ARGV[1])
elseif at ~= math.huge and not marked then
  redis.call('ZADD', KEYS[1], ARGV[4], ARGV[1])
end
