-- Replace the stream of an ended game by a document of the archive, or by the compressed log.
--
-- KEYS  1 game   2 log
-- ARGV  1 version   2 digest   3 the document ('' for none)   4 the compressed log, if there is no document
-- Returns 1; 0, and changes nothing, if the game has another version by now, or the document has.

local game, log = KEYS[1], KEYS[2]
local version, document = ARGV[1], ARGV[3]
local current = redis.call('HMGET', game, 'version', 'digest', 'archived')
if current[1] ~= version or current[2] ~= ARGV[2] or document ~= '' and current[3] ~= version then
  return 0
end
redis.call('HSET', game, 'compacted', version .. ' ' .. ARGV[2] .. ' ' .. document)
if document == '' then
  redis.call('HSET', game, 'log', ARGV[4])
else
  redis.call('HDEL', game, 'log')
end
redis.call('DEL', log)
return 1
