#!lua flags=no-writes
-- Read a game and a part of its log as of the same moment: between two commands may lie a failover.
--
-- KEYS  1 game   2 log
-- ARGV  1 the first version of the part, and   2 how many   3... fields of the game
-- Returns {what the fields have, entries of the log}.

return {
  redis.call('HMGET', KEYS[1], unpack(ARGV, 3)),
  redis.call('XRANGE', KEYS[2], ARGV[1], '+', 'COUNT', ARGV[2]),
}
