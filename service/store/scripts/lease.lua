-- Acquire or release the lease of an entry, so that nobody else works on it.
--
-- KEYS  1 lease
-- ARGV  1 holder   2 seconds ('' releases it)
-- Returns 1; 0 if somebody else has the lease.

local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then
  return 0
end
if ARGV[2] == '' then
  redis.call('DEL', KEYS[1])
else
  redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
end
return 1
