-- One commit of one game, all of it or nothing. A Cluster runs it too: all keys share a hash tag.
--
-- KEYS  1 game   2 log   3 a string of the game
-- ARGV  1 id of the commit   2 version, 3 digest and 4 webhooks that it builds on (all '' to create the game)
--       5 snapshot   6 access ('' leaves it)   7 seconds until the game expires
--       8 channel on which the new version is announced   9 'SHARD' where that is a Cluster's, else ''
--       10 how many of those who listen there know it anyway
--       11 field of the game for its idempotency key ('' for none)   12 the record to keep there
--       13 what goes with the diffs, for whoever reads the log
--       14 the last commit that ended a token, which it builds on ('' for none)   15 '1' where this one ends one
--       16... version, digest, previous digest and data of each diff
-- Returns 1 when it is stored, the record that is kept already, {version, digest} as they are ({}: no such game), or
--       -T: until the Unix second T the token may use no more keys in this game.

local game, log = KEYS[1], KEYS[2]
local id = ARGV[1]
local FIRST = 16

-- A record (service/games/idempotency.py) counts for a day; each token may have so many in a game. They are counted,
-- and old ones taken out, when the version passes a multiple of SWEEP.
local DAY, MAX_KEYS, SWEEP, RECORD = 86400, 1000, 32, 28

-- Changes nothing, but a replica or a full server refuses it: nothing below is answered by one that could not commit.
redis.call('SETRANGE', KEYS[3], 0, '')

local function at(record)
  local a, b, c, d = string.byte(record, 3, 6)
  return ((a * 256 + b) * 256 + c) * 256 + d
end

local keyed, record = ARGV[11] ~= '', ARGV[12]
local spent = 'spent' .. string.sub(record, 2, 2)
local now = redis.call('HMGET', game, 'version', 'digest', 'hooks', ARGV[11], spent, 'tokens')
local version = ARGV[FIRST] and ARGV[#ARGV - 3] or ARGV[2]

-- A client that lost the connection sends its commit again; the first may have been stored. There is something to wait
-- for then (WAIT) as if it were stored now.
local function stored_before()
  redis.call('EXPIRE', game, ARGV[7])
  if now[6] == id then
    return true
  end
  local entry = ARGV[FIRST] and redis.call('XRANGE', log, ARGV[FIRST], ARGV[FIRST])[1]
  return entry and entry[2][2] == id
end

if keyed then
  local kept = now[4]
  if kept and at(record) - at(kept) >= DAY then
    kept = false
  end
  if kept then
    return stored_before() and 1 or kept
  end
end

if (now[1] or '') ~= ARGV[2] or (now[2] or '') ~= ARGV[3] or (now[3] or '') ~= ARGV[4]
    or (now[6] or '') ~= ARGV[14] then
  if stored_before() then
    return 1
  end
  return now[1] and {now[1], now[2]} or {}
end

if keyed and now[5] and tonumber(now[5]) > at(record) then
  return -tonumber(now[5])
end

-- The log first: it is the one write that can be refused (an id that is not above its last), and then nothing is changed.
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
if keyed then
  redis.call('HSET', game, ARGV[11], record)
end
if keyed and math.floor(tonumber(version) / SWEEP) ~= math.floor((tonumber(ARGV[2]) or 0) / SWEEP) then
  local fields, number, oldest = redis.call('HGETALL', game), 0, at(record)
  for i = 1, #fields, 2 do
    local value = fields[i + 1]
    if #fields[i] == 16 and string.byte(fields[i]) == 107 and #value == RECORD then
      if at(record) - at(value) >= DAY then
        redis.call('HDEL', game, fields[i])
      elseif string.byte(value, 2) == string.byte(record, 2) then
        number, oldest = number + 1, math.min(oldest, at(value))
      end
    end
  end
  if number >= MAX_KEYS then
    redis.call('HSET', game, spent, oldest + DAY)
  elseif now[5] then
    redis.call('HDEL', game, spent)
  end
end
redis.call('EXPIRE', game, ARGV[7])
redis.call('EXPIRE', log, ARGV[7])

-- A hint and no more: where it cannot be given (the user may not), the commit is stored all the same.
local heard = redis.pcall('PUBSUB', ARGV[9] .. 'NUMSUB', ARGV[8])
if not heard.err and heard[2] > tonumber(ARGV[10]) then
  redis.pcall(ARGV[9] == '' and 'PUBLISH' or 'SPUBLISH', ARGV[8], ARGV[15] == '' and version or version .. ' tokens')
end
return 1
