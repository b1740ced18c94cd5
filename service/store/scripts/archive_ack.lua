-- Note which version of a game is archived, for who holds it, and let the game go.
--
-- KEYS  1 game   2 lease   ARGV  1 who holds it   2 version (0: none was written)
-- Returns 1, or 0: it was not held (any more), or has another version now.

if redis.call('GET', KEYS[2]) ~= ARGV[1] then
  return 0
end
redis.call('DEL', KEYS[2])
local version = redis.call('HGET', KEYS[1], 'version')
if not version or ARGV[2] == '0' then
  return 1
end
if version ~= ARGV[2] then
  return 0
end
redis.call('HSET', KEYS[1], 'archived', ARGV[2])
return 1
