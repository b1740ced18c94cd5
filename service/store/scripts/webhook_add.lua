-- Add a webhook to a game or an API key.
--
-- KEYS  1 game or API key   2 a string with the same hash tag, for a write that changes nothing else
--       3 record of an idempotency key (absent without one)
-- ARGV  1 webhook id   2 registration   3 state   4 the record to store ('' for none)
--       5 record of the idempotency key, 6 webhooks and 7 the last commit that revoked a token, each as it is expected
--       ('' for none; absent to expect nothing)
-- Returns 1 if it is stored; 0 if something is not as expected; -1 if there is no such game.

local game, id = KEYS[1], ARGV[1]

-- Fails on a replica or a full server: neither could add a webhook, so neither may reply. After a lost connection this
-- may be a repetition, so it is a write, for WAIT to wait for.
redis.call('SET', KEYS[2], '', 'EX', 1)
if KEYS[3] and (redis.call('GET', KEYS[3]) or '') ~= (ARGV[5] or '') then
  return 0
end
local current = redis.call('HMGET', game, 'hooks', 'tokens')
local hooks = current[1] or ''
if string.find(',' .. hooks .. ',', ',' .. id .. ',', 1, true) then
  return 1
end
if redis.call('EXISTS', game) == 0 then
  return -1
end
if ARGV[6] and (hooks ~= ARGV[6] or (current[2] or '') ~= ARGV[7]) then
  return 0
end

redis.call('HSET', game, 'hooks', hooks == '' and id or hooks .. ',' .. id,
  'hook:' .. id, ARGV[2], 'hook:' .. id .. ':state', ARGV[3])
if KEYS[3] then
  redis.call('SET', KEYS[3], ARGV[4], 'EX', 86400)
end
return 1
