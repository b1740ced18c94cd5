-- Store one commit of one game, all of it or nothing.
--
-- KEYS  1 game   2 log   3 a string of the game for a write that changes nothing
-- ARGV  1 the header, a MessagePack map: `CommitHeader` in store/game_store.py describes its members
--       2 snapshot   3 access record ('' leaves it)   4 field of the game's hash for the idempotency key ('' for none)
--       5 the record to store there   6... data of each diff
-- Returns 1 if it is stored; the record stored earlier; {version, digest} of the game on a conflict ({}: no such game);
--       -T if the token may use no more idempotency keys in this game until the Unix second T.

local game, log = KEYS[1], KEYS[2]
local commit = cmsgpack.unpack(ARGV[1])
local snapshot, access, field, record = ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local FIRST_DATA = 6

-- An idempotency record (service/games/idempotency.py) expires after a day, and each token may have MAX_KEYS in a game.
-- They are counted, and expired ones removed, when the version passes a multiple of SWEEP.
local DAY, MAX_KEYS, SWEEP, RECORD = 86400, 1000, 32, 28

-- Changes nothing, but fails on a replica or a full server: neither could commit, so neither may reply.
redis.call('SETRANGE', KEYS[3], 0, '')

-- The Unix second at which a record was stored.
local function stored_at(record)
  local a, b, c, d = string.byte(record, 3, 6)
  return ((a * 256 + b) * 256 + c) * 256 + d
end

local has_key = field ~= ''
local spent_field = 'spent' .. string.sub(record, 2, 2)
local current = redis.call('HMGET', game, 'version', 'digest', 'hooks', field, spent_field, 'tokens')
local first, last = commit.diffs[1], commit.diffs[#commit.diffs]
local version = last and last.version or commit.version

-- After a lost connection this may be a repetition of a commit that was stored. The EXPIRE is a write, so that WAIT has
-- something to wait for.
local function is_repetition()
  redis.call('EXPIRE', game, commit.ttl_s)
  if current[6] == commit.id then
    return true
  end
  local entry = first and redis.call('XRANGE', log, first.version, first.version)[1]
  return entry and entry[2][2] == commit.id
end

if has_key then
  local earlier = current[4]
  if earlier and stored_at(record) - stored_at(earlier) < DAY then
    return is_repetition() and 1 or earlier
  end
end

if (current[1] or '') ~= commit.version or (current[2] or '') ~= commit.digest
    or (current[3] or '') ~= commit.webhooks or (current[6] or '') ~= commit.last_revocation then
  if is_repetition() then
    return 1
  end
  return current[1] and {current[1], current[2]} or {}
end

if has_key and current[5] and tonumber(current[5]) > stored_at(record) then
  return -tonumber(current[5])
end

-- The log first: only this write can fail (if the id is not above the last one), and then nothing has changed.
for i, diff in ipairs(commit.diffs) do
  redis.call('XADD', log, diff.version .. '-0', 'commit', commit.id, 'digest', diff.digest, 'previous', diff.previous,
    'data', ARGV[FIRST_DATA + i - 1], 'meta', commit.meta)
end
redis.call('HSET', game, 'version', version, 'digest', last and last.digest or commit.digest, 'snapshot', snapshot)
if access ~= '' then
  redis.call('HSET', game, 'access', access)
end
if commit.revokes_token then
  redis.call('HSET', game, 'tokens', commit.id)
end
if has_key then
  redis.call('HSET', game, field, record)
end
if has_key and math.floor(tonumber(version) / SWEEP) ~= math.floor((tonumber(commit.version) or 0) / SWEEP) then
  local fields, number, oldest = redis.call('HGETALL', game), 0, stored_at(record)
  for i = 1, #fields, 2 do
    local value = fields[i + 1]
    if #fields[i] == 16 and string.byte(fields[i]) == 107 and #value == RECORD then
      if stored_at(record) - stored_at(value) >= DAY then
        redis.call('HDEL', game, fields[i])
      elseif string.byte(value, 2) == string.byte(record, 2) then
        number, oldest = number + 1, math.min(oldest, stored_at(value))
      end
    end
  end
  if number >= MAX_KEYS then
    redis.call('HSET', game, spent_field, oldest + DAY)
  elseif current[5] then
    redis.call('HDEL', game, spent_field)
  end
end
redis.call('EXPIRE', game, commit.ttl_s)
redis.call('EXPIRE', log, commit.ttl_s)

-- A notification may be lost, so the commit is stored even if publishing fails (the ACL may deny it).
local subscribers = redis.pcall('PUBSUB', commit.is_sharded and 'SHARDNUMSUB' or 'NUMSUB', commit.channel)
if not subscribers.err and subscribers[2] > commit.own_subscribers then
  local message = commit.revokes_token and version .. ' tokens' or version
  redis.pcall(commit.is_sharded and 'SPUBLISH' or 'PUBLISH', commit.channel, message)
end
return 1
