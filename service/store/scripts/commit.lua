#!lua
-- Store one commit of one game, all of it or nothing. A server that takes no writes rejects it before it starts.
--
-- KEYS  1 game, whose name is the channel of its notifications too   2 log   3 idempotency records
-- ARGV  1 the revision that the game has (NEW for no game)   2 its new one   3 a MessagePack array, unpacked below
--       4 snapshot   5 access record ('' leaves it)   6 field and record of the idempotency key ('' for none)
--       7... the log's entry of each diff (store/log_entries.py), which begins with the commit's id
-- Returns 1 if it is stored; the record stored earlier; 0 on a version conflict, or if there is no such game;
--       -T if the token may use no more idempotency keys in this game until the Unix second T.

local game, log, records = KEYS[1], KEYS[2], KEYS[3]
-- `webhooks` and `last_revocation` are what the game has: ids with commas between them, and one id. `revocation` is the
-- id of this commit if it revokes a token, else empty. `renews` says whether keys must be extended: the retention
-- changes with the status, and an ended game's log may be new. `own_subscribers` are the committing instance's, and the
-- channel is sharded in a Cluster. `sent_us` is the time in Unix microseconds by the shared clock.
local webhooks, last_revocation, revocation, ttl_s, renews, own_subscribers, is_sharded, sent_us =
    unpack(cmsgpack.unpack(ARGV[3]))
local expected, revision, snapshot, access = ARGV[1], ARGV[2], ARGV[4], ARGV[5]
local field, record = string.sub(ARGV[6], 1, 8), string.sub(ARGV[6], 9)
local FIRST_ENTRY, ID_BYTES, NEW = 7, 7, string.rep('\0', 20)

-- An idempotency record (service/games/idempotency.py) expires after a day, and each token may have MAX_KEYS in a game.
-- They are counted, and expired ones removed, when the version passes a multiple of SWEEP.
local DAY, MAX_KEYS, SWEEP = 86400, 1000, 32

-- Keys expire up to so many seconds late, so that not every commit has to extend them.
local slack_s = math.min(math.floor(ttl_s / 100), 600)

-- The Unix second at which a record was stored.
local function stored_at(record)
  return (struct.unpack('>I4', record, 3))
end

local has_key, spent_field = field ~= '', 'spent' .. string.sub(record, 2, 2)
local current = redis.call('HMGET', game, 'revision', 'hooks', 'tokens', spent_field)
local spent_until = has_key and current[4]
local earlier = has_key and redis.call('HGET', records, field)
local version = struct.unpack('>I4', revision)
local first = version - #ARGV + FIRST_ENTRY

-- Extends the game's life. It is a write, so that WAIT has something to wait for.
local function extend()
  redis.call('EXPIRE', game, ttl_s + slack_s)
  redis.call('EXPIRE', log, ttl_s + slack_s)
  if has_key then
    redis.call('EXPIRE', records, math.min(DAY, ttl_s) + slack_s)
  end
end

-- After a lost connection this may be a repetition of a commit that was stored.
local function is_repetition()
  extend()
  if revocation ~= '' and current[3] == revocation then
    return true
  end
  local entry = ARGV[FIRST_ENTRY] and redis.call('XRANGE', log, first, first)[1]
  return entry and string.sub(entry[2][2], 1, ID_BYTES) == string.sub(ARGV[FIRST_ENTRY], 1, ID_BYTES)
end

if earlier and stored_at(record) - stored_at(earlier) < DAY then
  return is_repetition() and 1 or earlier
end

if (current[1] or NEW) ~= expected or (current[2] or '') ~= webhooks or (current[3] or '') ~= last_revocation then
  return is_repetition() and 1 or 0
end

if spent_until and tonumber(spent_until) > stored_at(record) then
  return -tonumber(spent_until)
end

-- The log first: only this write can fail (if the id is not above the last one), and then nothing has changed.
for i = FIRST_ENTRY, #ARGV do
  redis.call('XADD', log, version + i - #ARGV .. '-0', 'd', ARGV[i])
end
redis.call('HSET', game, 'revision', revision, 'snapshot', snapshot)
if access ~= '' then
  redis.call('HSET', game, 'access', access)
end
if revocation ~= '' then
  redis.call('HSET', game, 'tokens', revocation)
end
if has_key then
  redis.call('HSET', records, field, record)
end
if has_key and math.floor(version / SWEEP) ~= math.floor((first - 1) / SWEEP) then
  local fields, number, oldest = redis.call('HGETALL', records), 0, stored_at(record)
  for i = 1, #fields, 2 do
    local value = fields[i + 1]
    if stored_at(record) - stored_at(value) >= DAY then
      redis.call('HDEL', records, fields[i])
    elseif string.byte(value, 2) == string.byte(record, 2) then
      number, oldest = number + 1, math.min(oldest, stored_at(value))
    end
  end
  if number >= MAX_KEYS then
    redis.call('HSET', game, spent_field, oldest + DAY)
  elseif spent_until then
    redis.call('HDEL', game, spent_field)
  end
end
-- The records are extended together with the game, so one of the two tells whether it is time.
local left_ms = redis.call('PTTL', has_key and records or game)
if renews or left_ms < (has_key and math.min(DAY, ttl_s) or ttl_s) * 1000 then
  extend()
end

-- A string as MessagePack's bytes: cmsgpack makes text of it.
local function binary(value)
  return struct.pack('>BI4', 0xc6, #value) .. value
end

-- A notification is the MessagePack array that log_entries.py decodes. It may be lost, so the commit is stored even if publishing fails (the ACL may deny it).
local subscribers = redis.pcall('PUBSUB', is_sharded and 'SHARDNUMSUB' or 'NUMSUB', game)
if not subscribers.err and subscribers[2] > own_subscribers then
  local message = {'\148', binary(expected), cmsgpack.pack(revocation ~= '', sent_us)}
  message[4] = struct.pack('>BI4', 0xdd, #ARGV - FIRST_ENTRY + 1)
  for i = FIRST_ENTRY, #ARGV do
    message[#message + 1] = binary(ARGV[i])
  end
  redis.pcall(is_sharded and 'SPUBLISH' or 'PUBLISH', game, table.concat(message))
end
return 1
