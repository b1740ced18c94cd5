-- Store one commit of one game, all of it or nothing.
--
-- KEYS  1 game   2 log   3 idempotency records   4 a string of the game for a write that changes nothing
-- ARGV  1 the header, a MessagePack array that is unpacked below
--       2 snapshot   3 access record ('' leaves it)   4 field of the idempotency key's record ('' for none)
--       5 that record   6... the log's entry of each diff (store/log_entries.py), which begins with the commit's id
-- Returns 1 if it is stored; the record stored earlier; {version, digest} of the game on a conflict ({}: no such game);
--       -T if the token may use no more idempotency keys in this game until the Unix second T.

local game, log, records = KEYS[1], KEYS[2], KEYS[3]
-- The expected version is empty to create the game, and so are the next three; `webhooks` are ids with commas between
-- them. `channel` is that of the notification, sharded in a Cluster, and `own_subscribers` those of the committing
-- instance. `sent_us` is the time in Unix microseconds by the shared clock (service/telemetry/clock.py).
local id, expected_version, expected_digest, webhooks, last_revocation, new_digest, ttl_s, channel, is_sharded,
    own_subscribers, revokes_token, sent_us, traceparent = unpack(cmsgpack.unpack(ARGV[1]))
local snapshot, access, field, record = ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local FIRST_ENTRY, ID_BYTES = 6, 9

-- An idempotency record (service/games/idempotency.py) expires after a day, and each token may have MAX_KEYS in a game.
-- They are counted, and expired ones removed, when the version passes a multiple of SWEEP.
local DAY, MAX_KEYS, SWEEP, FIELD = 86400, 1000, 32, 8

-- Changes nothing, but fails on a replica or a full server: neither could commit, so neither may reply.
redis.call('SETRANGE', KEYS[4], 0, '')

-- The Unix second at which a record was stored.
local function stored_at(record)
  local a, b, c, d = string.byte(record, 3, 6)
  return ((a * 256 + b) * 256 + c) * 256 + d
end

local has_key = field ~= ''
local spent_field = 'spent' .. string.sub(record, 2, 2)
local current = redis.call('HMGET', game, 'version', 'digest', 'hooks', 'tokens')
local earlier, spent_until = false, false
if has_key then
  earlier, spent_until = unpack(redis.call('HMGET', records, field, spent_field))
end
local entries = #ARGV - FIRST_ENTRY + 1
local version = (tonumber(expected_version) or 0) + entries

-- After a lost connection this may be a repetition of a commit that was stored. The EXPIRE is a write, so that WAIT has
-- something to wait for.
local function is_repetition()
  redis.call('EXPIRE', game, ttl_s)
  if current[4] == id then
    return true
  end
  local entry = entries > 0 and redis.call('XRANGE', log, version - entries + 1, version - entries + 1)[1]
  return entry and string.sub(entry[2][2], 1, ID_BYTES) == string.sub(ARGV[FIRST_ENTRY], 1, ID_BYTES)
end

if earlier and stored_at(record) - stored_at(earlier) < DAY then
  return is_repetition() and 1 or earlier
end

if (current[1] or '') ~= expected_version or (current[2] or '') ~= expected_digest
    or (current[3] or '') ~= webhooks or (current[4] or '') ~= last_revocation then
  if is_repetition() then
    return 1
  end
  return current[1] and {current[1], current[2]} or {}
end

if spent_until and tonumber(spent_until) > stored_at(record) then
  return -tonumber(spent_until)
end

-- The log first: only this write can fail (if the id is not above the last one), and then nothing has changed.
for i = FIRST_ENTRY, #ARGV do
  redis.call('XADD', log, version + i - #ARGV .. '-0', 'd', ARGV[i])
end
redis.call('HSET', game, 'version', version, 'digest', new_digest, 'snapshot', snapshot)
if access ~= '' then
  redis.call('HSET', game, 'access', access)
end
if revokes_token then
  redis.call('HSET', game, 'tokens', id)
end
if has_key then
  redis.call('HSET', records, field, record)
  redis.call('EXPIRE', records, math.min(DAY, ttl_s))
end
if has_key and math.floor(version / SWEEP) ~= math.floor((version - entries) / SWEEP) then
  local fields, number, oldest = redis.call('HGETALL', records), 0, stored_at(record)
  for i = 1, #fields, 2 do
    local value = fields[i + 1]
    if #fields[i] == FIELD then
      if stored_at(record) - stored_at(value) >= DAY then
        redis.call('HDEL', records, fields[i])
      elseif string.byte(value, 2) == string.byte(record, 2) then
        number, oldest = number + 1, math.min(oldest, stored_at(value))
      end
    end
  end
  if number >= MAX_KEYS then
    redis.call('HSET', records, spent_field, oldest + DAY)
  elseif spent_until then
    redis.call('HDEL', records, spent_field)
  end
end
redis.call('EXPIRE', game, ttl_s)
redis.call('EXPIRE', log, ttl_s)

-- A notification may be lost, so the commit is stored even if publishing fails (the ACL may deny it).
local subscribers = redis.pcall('PUBSUB', is_sharded and 'SHARDNUMSUB' or 'NUMSUB', channel)
if not subscribers.err and subscribers[2] > own_subscribers then
  local sizes = {}
  for i = FIRST_ENTRY, #ARGV do
    sizes[#sizes + 1] = #ARGV[i]
  end
  local notice = cmsgpack.pack({version, expected_digest, revokes_token, sent_us, traceparent, sizes})
  local notification = struct.pack('>I2', #notice) .. notice .. table.concat(ARGV, '', FIRST_ENTRY)
  redis.pcall(is_sharded and 'SPUBLISH' or 'PUBLISH', channel, notification)
end
return 1
