-- Store a whole game at once, as it was elsewhere. All keys share the game's hash tag.
--
-- KEYS  1 game   2 log   3... attempts at delivering to each of its webhooks
-- ARGV  1 id of this   2 '1' to take the place of a game that is there   3 seconds until the game expires
--       4 how many of the following are fields and values of the game's hash   5... these
--       then for each key from the third on: how many attempts, and these, the newest first
--       then version, digest, previous digest and data of each diff
-- Returns 1 when it is stored, 0 where there is such a game, which is left as it is.

local game, log = KEYS[1], KEYS[2]
local id, seconds = ARGV[1], ARGV[3]

-- A client that lost the connection sends it again; the first may have been stored. There is something to wait for then
-- (WAIT) as if it were stored now.
local first = redis.call('XRANGE', log, '1-0', '1-0')[1]
if first and first[2][2] == id then
  redis.call('EXPIRE', game, seconds)
  return 1
end
if ARGV[2] ~= '1' and redis.call('EXISTS', game) == 1 then
  return 0
end
redis.call('DEL', game, log)

local at = 5
local fields = at + tonumber(ARGV[4])
while at < fields do
  redis.call('HSET', game, ARGV[at], ARGV[at + 1])
  at = at + 2
end
for key = 3, #KEYS do
  local number = tonumber(ARGV[at])
  redis.call('DEL', KEYS[key])
  for entry = at + 1, at + number do
    redis.call('RPUSH', KEYS[key], ARGV[entry])
  end
  redis.call('EXPIRE', KEYS[key], seconds)
  at = at + number + 1
end
while at < #ARGV do
  redis.call('XADD', log, ARGV[at] .. '-0',
    'commit', id, 'digest', ARGV[at + 1], 'previous', ARGV[at + 2], 'data', ARGV[at + 3])
  at = at + 4
end
redis.call('EXPIRE', game, seconds)
redis.call('EXPIRE', log, seconds)
return 1
