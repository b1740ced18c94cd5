-- Move the date of an entry: after a look at it, which found it due later or never, or because it could not be processed.
--
-- A look may be outdated: a commit that has scheduled an earlier date since may be about to be stored. So the entry is
-- first moved to a date a little later, marked by a half second. The next look counts if the mark is still there, since
-- schedule.lua removes it. An entry that could not be processed moves at once, unless another instance has moved it.
--
-- KEYS  1 queue
-- ARGV  1 entry   2 now   3 Unix second of the new date ('' for never)
--       4 a date a little later than now, with the mark ('' without a look)
-- Returns 0 if the entry was not looked at, and is not due; else 1.

local at = tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]) or 'inf')
local due, later = tonumber(ARGV[3]), tonumber(ARGV[4])
local is_due, is_marked = at <= tonumber(ARGV[2]), at % 1 == 0.5

if not later and not is_due then
  return 0
end
if due and (not later or is_due and is_marked or due <= later or at == math.huge) then
  redis.call('ZADD', KEYS[1], due, ARGV[1])
elseif is_due and is_marked then
  redis.call('ZREM', KEYS[1], ARGV[1])
elseif at ~= math.huge and at ~= due and not is_marked then
  redis.call('ZADD', KEYS[1], later, ARGV[1])
end
return 1
