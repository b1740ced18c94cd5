-- Take a webhook for a while, so that nobody else delivers to it.
--
-- KEYS  1 game   2 lease   ARGV  1 id   2 who takes it   3 seconds
-- Returns webhook and state, 0 where somebody else has it, or -1: no such webhook.

local found = redis.call('HMGET', KEYS[1], 'hook:' .. ARGV[1], 'hook:' .. ARGV[1] .. ':state')
if not found[1] then
  redis.call('DEL', KEYS[2])
  return -1
end
local holder = redis.call('GET', KEYS[2])
if holder and holder ~= ARGV[2] then
  return 0
end
redis.call('SET', KEYS[2], ARGV[2], 'EX', ARGV[3])
return found
