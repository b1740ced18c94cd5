-- Add a webhook to a game or an API key.
--
-- KEYS  1 game or API key   2 a string with the same hash tag, for a write that changes nothing else
--       3 record of an idempotency key, which expires (absent without one, and for a game)
-- ARGV  1 webhook id   2 registration   3 state   4 maximum number of its webhooks
--       5 field of a game's hash for the record ('' for none)   6 the record to store
--       7 webhooks and 8 the last commit that revoked a token, which it expects (absent to expect nothing)
-- Returns 1 if it is stored; 0 if there are too many; the record stored earlier; -1 if there is no such game; -2 if it
--       is not as expected.

local game = KEYS[1]
local id = ARGV[1]

-- Fails on a replica or a full server: neither could add a webhook, so neither may reply. After a lost connection this
-- may be a repetition, so it is a write, for WAIT to wait for.
redis.call('SET', KEYS[2], '', 'EX', 1)
local current = redis.call('HMGET', game, 'version', 'hooks', ARGV[5], 'tokens')

-- The Unix second at which a record was stored. It expires after a day.
local function stored_at(record)
  local a, b, c, d = string.byte(record, 3, 6)
  return ((a * 256 + b) * 256 + c) * 256 + d
end

local earlier = current[3]
if KEYS[3] then
  earlier = redis.call('GET', KEYS[3])
end
if earlier and stored_at(ARGV[6]) - stored_at(earlier) < 86400 then
  return earlier
end
local hooks, number = current[2] or '', 0
for one in string.gmatch(hooks, '[^,]+') do
  if one == id then
    return 1
  end
  number = number + 1
end
if not current[1] then
  return -1
end
if ARGV[7] and (hooks ~= ARGV[7] or (current[4] or '') ~= ARGV[8]) then
  return -2
end
if number >= tonumber(ARGV[4]) then
  return 0
end

redis.call('HSET', game, 'hooks', hooks == '' and id or hooks .. ',' .. id,
  'hook:' .. id, ARGV[2], 'hook:' .. id .. ':state', ARGV[3])
if KEYS[3] then
  redis.call('SET', KEYS[3], ARGV[6], 'EX', 86400)
elseif ARGV[5] ~= '' then
  redis.call('HSET', game, ARGV[5], ARGV[6])
end
return 1
