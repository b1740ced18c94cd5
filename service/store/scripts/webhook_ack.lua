-- Store how far a webhook has come, for who holds it.
--
-- KEYS  1 game   2 lease   3 attempts
-- ARGV  1 id   2 who holds it   3 state   4 attempt ('' for none)   5 how many attempts are kept
--       6 seconds to hold it on ('' lets go)
-- Returns 1, or 0 and changes nothing: it is not held (any more), or was forgotten.

local game, lease, attempts = KEYS[1], KEYS[2], KEYS[3]
local holder, field = redis.call('GET', lease), 'hook:' .. ARGV[1] .. ':state'
if holder ~= ARGV[2] then
  -- A client that lost the connection sends again what may have been stored, and the hold let go.
  return not holder and ARGV[6] == '' and redis.call('HGET', game, field) == ARGV[3] and 1 or 0
end
if redis.call('HEXISTS', game, 'hook:' .. ARGV[1]) == 0 then
  redis.call('DEL', lease)
  return 0
end

redis.call('HSET', game, field, ARGV[3])
if ARGV[4] ~= '' and redis.call('LINDEX', attempts, 0) ~= ARGV[4] then
  redis.call('LPUSH', attempts, ARGV[4])
  redis.call('LTRIM', attempts, 0, tonumber(ARGV[5]) - 1)
  redis.call('PEXPIRE', attempts, math.max(redis.call('PTTL', game), 1000))
end
if ARGV[6] == '' then
  redis.call('DEL', lease)
else
  redis.call('EXPIRE', lease, ARGV[6])
end
return 1
