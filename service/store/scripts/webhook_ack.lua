-- Store the state of a webhook, a delivery attempt and a changed registration, for the holder of its lease.
--
-- KEYS  1 game or API key   2 lease   3 delivery attempts
--       4 record of an idempotency key (absent without one)
-- ARGV  1 webhook id   2 holder   3 state   4 attempt ('' for none)   5 maximum number of stored attempts
--       6 seconds to which to extend the lease   7 registration ('' leaves it)   8 the record to store
-- Returns 1; 0, and changes nothing, if the holder has no lease any more or the webhook was removed.

local MONTH_MS = 30 * 86400000
local game, lease, attempts = KEYS[1], KEYS[2], KEYS[3]
if redis.call('GET', lease) ~= ARGV[2] or redis.call('HEXISTS', game, 'hook:' .. ARGV[1]) == 0 then
  return 0
end

redis.call('HSET', game, 'hook:' .. ARGV[1] .. ':state', ARGV[3])
if ARGV[7] ~= '' then
  redis.call('HSET', game, 'hook:' .. ARGV[1], ARGV[7])
end
if ARGV[4] ~= '' and redis.call('LINDEX', attempts, 0) ~= ARGV[4] then
  redis.call('LPUSH', attempts, ARGV[4])
  redis.call('LTRIM', attempts, 0, tonumber(ARGV[5]) - 1)
  -- The attempts expire with the game; an API key does not expire.
  local ttl = redis.call('PTTL', game)
  redis.call('PEXPIRE', attempts, ttl == -1 and MONTH_MS or ttl)
end
if KEYS[4] then
  redis.call('SET', KEYS[4], ARGV[8], 'EX', 86400)
end
redis.call('EXPIRE', lease, ARGV[6])
return 1
