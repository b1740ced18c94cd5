-- One commit of one game, all of it or nothing. A Cluster runs it too: all keys share a hash tag.
--
-- KEYS  1 game   2 log   3 answer (where there is none to keep, the key of an empty name, which never exists)
-- ARGV  1 id of the commit   2 version, 3 digest and 4 webhooks that it builds on (all '' to create the game)
--       5 snapshot   6 access ('' leaves it)   7 seconds until the game expires
--       8 channel on which the new version is announced   9 'SHARD' where that is a Cluster's, else ''
--       10 how many of those who listen there know it anyway
--       11 answer to keep   12 seconds to keep it ('' keeps none)
--       13 what goes with the diffs, for whoever reads the log
--       14... version, digest, previous digest and data of each diff
-- Returns 1 when it is stored, the answer that is kept already, or {version, digest} as they are ({}: no such game).

local game, log, answer = KEYS[1], KEYS[2], KEYS[3]
local id = ARGV[1]
local FIRST = 14

-- Changes nothing, but a replica or a full server refuses it: nothing below is answered by one that could not commit.
redis.call('SETRANGE', answer, 0, '')

-- A client that lost the connection sends its commit again; the first may have been stored. There is something to wait
-- for then (WAIT) as if it were stored now.
local function stored_before()
  redis.call('EXPIRE', game, ARGV[7])
  local entry = redis.call('XRANGE', log, ARGV[FIRST], ARGV[FIRST])[1]
  return entry ~= nil and entry[2][2] == id
end

local kept = redis.call('GET', answer)
if kept then
  return stored_before() and 1 or kept
end

local now = redis.call('HMGET', game, 'version', 'digest', 'hooks')
if (now[1] or '') ~= ARGV[2] or (now[2] or '') ~= ARGV[3] or (now[3] or '') ~= ARGV[4] then
  if stored_before() then
    return 1
  end
  return now[1] and {now[1], now[2]} or {}
end

-- The log first: it is the one write that can be refused (an id that is not above its last), and then nothing is changed.
for i = FIRST, #ARGV, 4 do
  redis.call('XADD', log, ARGV[i] .. '-0',
    'commit', id, 'digest', ARGV[i + 1], 'previous', ARGV[i + 2], 'data', ARGV[i + 3], 'meta', ARGV[13])
end
redis.call('HSET', game, 'version', ARGV[#ARGV - 3], 'digest', ARGV[#ARGV - 2], 'snapshot', ARGV[5])
if ARGV[6] ~= '' then
  redis.call('HSET', game, 'access', ARGV[6])
end
if ARGV[12] ~= '' then
  redis.call('SET', answer, ARGV[11], 'EX', ARGV[12])
end
redis.call('EXPIRE', game, ARGV[7])
redis.call('EXPIRE', log, ARGV[7])

-- A hint and no more: where it cannot be given (the user may not), the commit is stored all the same.
local heard = redis.pcall('PUBSUB', ARGV[9] .. 'NUMSUB', ARGV[8])
if not heard.err and heard[2] > tonumber(ARGV[10]) then
  redis.pcall(ARGV[9] == '' and 'PUBLISH' or 'SPUBLISH', ARGV[8], ARGV[#ARGV - 3])
end
return 1
