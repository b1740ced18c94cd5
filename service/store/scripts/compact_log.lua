-- Replace the stream of an ended game by a document of the archive, or by the compressed log.
--
-- KEYS  1 game   2 log
-- ARGV  1 revision (store/log_entries.py)   2 version   3 the document ('' for none)
--       4 what the field `compacted` says   5 the compressed log, and   6 the seconds until the game expires, both if
--       there is no document
-- Returns 1; 0, and changes nothing, if the game has another version by now, or the document has.

local game, log = KEYS[1], KEYS[2]
local version, document = ARGV[2], ARGV[3]
local current = redis.call('HMGET', game, 'revision', 'archived')
if current[1] ~= ARGV[1] or document ~= '' and current[2] ~= version then
  return 0
end
redis.call('HSET', game, 'compacted', ARGV[4])
if document == '' then
  redis.call('HSET', game, 'log', ARGV[5])
  redis.call('EXPIRE', game, ARGV[6], 'LT')
else
  redis.call('HDEL', game, 'log')
end
redis.call('DEL', log)
return 1
