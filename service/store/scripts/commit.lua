-- Store one commit of one game, all of it or nothing.
--
-- KEYS  1 game   2 log   3 a string of the game for a write that changes nothing
-- ARGV  1 id of the commit   2 version, 3 digest and 4 webhooks that it expects (all '' to create the game)
--       5 snapshot   6 access record ('' leaves it)   7 seconds until the game expires
--       8 channel for the change notification   9 'SHARD' for a sharded channel (in a Cluster), else ''
--       10 number of the channel's subscribers that belong to the committing instance
--       11 field of the game's hash for the idempotency key ('' for none)   12 the record to store there
--       13 metadata of the diffs, for readers of the log
--       14 the last commit that revoked a token, which it expects ('' for none)   15 '1' if this commit revokes one
--       16... version, digest, previous digest and data of each diff
-- Returns 1 if it is stored; the record stored earlier; {version, digest} of the game on a conflict ({}: no such game);
--       -T if the token may use no more idempotency keys in this game until the Unix second T.

local game, log = KEYS[1], KEYS[2]
local id = ARGV[1]
local FIRST = 16

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

local has_key, record = ARGV[11] ~= '', ARGV[12]
local spent_field = 'spent' .. string.sub(record, 2, 2)
local current = redis.call('HMGET', game, 'version', 'digest', 'hooks', ARGV[11], spent_field, 'tokens')
local version = ARGV[FIRST] and ARGV[#ARGV - 3] or ARGV[2]

-- After a lost connection this may be a repetition of a commit that was stored. The EXPIRE is a write, so that WAIT has
-- something to wait for.
local function is_repetition()
  redis.call('EXPIRE', game, ARGV[7])
  if current[6] == id then
    return true
  end
  local entry = ARGV[FIRST] and redis.call('XRANGE', log, ARGV[FIRST], ARGV[FIRST])[1]
  return entry and entry[2][2] == id
end

if has_key then
  local earlier = current[4]
  if earlier and stored_at(record) - stored_at(earlier) < DAY then
    return is_repetition() and 1 or earlier
  end
end

if (current[1] or '') ~= ARGV[2] or (current[2] or '') ~= ARGV[3] or (current[3] or '') ~= ARGV[4]
    or (current[6] or '') ~= ARGV[14] then
  if is_repetition() then
    return 1
  end
  return current[1] and {current[1], current[2]} or {}
end

if has_key and current[5] and tonumber(current[5]) > stored_at(record) then
  return -tonumber(current[5])
end

-- The log first: only this write can fail (if the id is not above the last one), and then nothing has changed.
for i = FIRST, #ARGV, 4 do
  redis.call('XADD', log, ARGV[i] .. '-0',
    'commit', id, 'digest', ARGV[i + 1], 'previous', ARGV[i + 2], 'data', ARGV[i + 3], 'meta', ARGV[13])
end
redis.call('HSET', game, 'version', version, 'digest', ARGV[FIRST] and ARGV[#ARGV - 2] or ARGV[3], 'snapshot', ARGV[5])
if ARGV[6] ~= '' then
  redis.call('HSET', game, 'access', ARGV[6])
end
if ARGV[15] ~= '' then
  redis.call('HSET', game, 'tokens', id)
end
if has_key then
  redis.call('HSET', game, ARGV[11], record)
end
if has_key and math.floor(tonumber(version) / SWEEP) ~= math.floor((tonumber(ARGV[2]) or 0) / SWEEP) then
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
redis.call('EXPIRE', game, ARGV[7])
redis.call('EXPIRE', log, ARGV[7])

-- A notification may be lost, so the commit is stored even if publishing fails (the ACL may deny it).
local subscribers = redis.pcall('PUBSUB', ARGV[9] .. 'NUMSUB', ARGV[8])
if not subscribers.err and subscribers[2] > tonumber(ARGV[10]) then
  redis.pcall(ARGV[9] == '' and 'PUBLISH' or 'SPUBLISH', ARGV[8], ARGV[15] == '' and version or version .. ' tokens')
end
return 1
