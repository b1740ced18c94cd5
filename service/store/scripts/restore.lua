-- Store a whole exported game at once.
--
-- KEYS  1 game   2 log   3 idempotency records   4... delivery attempts of each of its webhooks
-- ARGV  1 id of this commit   2 '1' to replace an existing game   3 seconds until the game expires
--       4 number of the following fields and values   5... fields and values of the game's hash
--       then for each key from the fourth on: the number of attempts, and the attempts, the newest first
--       then the log's entry of each version, from the first on
-- Returns 1 if it is stored; 0 if the game exists and is not to be replaced.

local game, log = KEYS[1], KEYS[2]
local id, seconds = ARGV[1], ARGV[3]

-- After a lost connection this may be a repetition of a commit that was stored. The EXPIRE is a write, so that WAIT has
-- something to wait for.
local first = redis.call('XRANGE', log, '1-0', '1-0')[1]
if first and string.sub(first[2][2], 1, #id) == id then
  redis.call('EXPIRE', game, seconds)
  return 1
end
if ARGV[2] ~= '1' and redis.call('EXISTS', game) == 1 then
  return 0
end
redis.call('DEL', game, log, KEYS[3])

local at = 5
local fields = at + tonumber(ARGV[4])
while at < fields do
  redis.call('HSET', game, ARGV[at], ARGV[at + 1])
  at = at + 2
end
for key = 4, #KEYS do
  local number = tonumber(ARGV[at])
  redis.call('DEL', KEYS[key])
  for entry = at + 1, at + number do
    redis.call('RPUSH', KEYS[key], ARGV[entry])
  end
  redis.call('EXPIRE', KEYS[key], seconds)
  at = at + number + 1
end
for entry = at, #ARGV do
  redis.call('XADD', log, entry - at + 1 .. '-0', 'd', ARGV[entry])
end
redis.call('EXPIRE', game, seconds)
redis.call('EXPIRE', log, seconds)
return 1
