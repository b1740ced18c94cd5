-- Store where the log of an ended game is: in an archive too, in a document of the archive alone, or compressed.
--
-- KEYS  1 game   2 log
-- ARGV  1 revision (store/log_entries.py)   2 archived version that the game must have ('' for any)
--       3 seconds until the game expires, unless it does earlier   4 whether the stream goes ('' if it stays)
--       5... fields of the game, and their values
-- Returns 1; 0, and changes nothing, if the game has another revision by now, or another version is archived.

local game, log = KEYS[1], KEYS[2]
local current = redis.call('HMGET', game, 'revision', 'archived')
if current[1] ~= ARGV[1] or ARGV[2] ~= '' and current[2] ~= ARGV[2] then
  return 0
end
redis.call('HSET', game, unpack(ARGV, 5))
redis.call('EXPIRE', game, ARGV[3], 'LT')
redis.call('EXPIRE', log, ARGV[3], 'LT')
if ARGV[4] ~= '' then
  redis.call('DEL', log)
end
return 1
