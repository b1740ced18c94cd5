-- Store which version of a game is archived, so that it may expire, and release the archiver's lease. A game that could
-- not be archived lives on.
--
-- KEYS  1 game   2 lease   3 log
-- ARGV  1 holder of the lease   2 archived version (0: none was written)
--       3 seconds until an archived game expires; for which another one lives at least
-- Returns 1; 0 if the holder has no lease any more, or the game has another version by now.

if redis.call('GET', KEYS[2]) ~= ARGV[1] then
  return 0
end
redis.call('DEL', KEYS[2])
local revision = redis.call('HGET', KEYS[1], 'revision')
if not revision then
  return 1
end
if ARGV[2] == '0' then
  redis.call('EXPIRE', KEYS[1], ARGV[3], 'GT')
  redis.call('EXPIRE', KEYS[3], ARGV[3], 'GT')
  return 1
end
if struct.unpack('>I4', revision) ~= tonumber(ARGV[2]) then
  return 0
end
redis.call('HSET', KEYS[1], 'archived', ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[3], 'LT')
redis.call('EXPIRE', KEYS[3], ARGV[3], 'LT')
return 1
