-- Store the state of a webhook, a delivery attempt and a changed registration, for the holder of its lease.
--
-- KEYS  1 game or API key   2 lease   3 delivery attempts
--       4 record of an idempotency key (absent without one)
-- ARGV  1 webhook id   2 holder   3 state   4 attempt ('' for none)   5 maximum number of stored attempts
--       6 seconds to which to extend the lease   7 registration ('' leaves it)   8 the record to store
--       9 state before ('' for an unknown one)
-- Returns 1; 0, and changes nothing, if the holder has no lease any more or the webhook was removed. A lease that
-- expired does not matter while nobody else has one or has stored another state: the holder was stopped for a while.

local MONTH_MS = 30 * 86400000
local game, lease, attempts = KEYS[1], KEYS[2], KEYS[3]
local holder, state = redis.call('GET', lease), redis.call('HGET', game, 'hook:' .. ARGV[1] .. ':state')
if not state or holder ~= ARGV[2] and (holder or state ~= ARGV[9]) then
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
redis.call('SET', lease, ARGV[2], 'EX', ARGV[6])
return 1
