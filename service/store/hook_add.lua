-- Add a webhook to a game. All keys share the game's hash tag.
--
-- KEYS  1 game   2 answer (where there is none to keep, the key of an empty name, which never exists)
-- ARGV  1 id   2 webhook   3 its state   4 how many a game may have   5 answer to keep   6 seconds to keep it ('' for none)
-- Returns 1 when it is stored, 0 when there are too many, the answer that is kept already, or -1: no such game.

local game, answer = KEYS[1], KEYS[2]
local id = ARGV[1]

redis.call('SETRANGE', answer, 0, '')
local now = redis.call('HMGET', game, 'version', 'hooks')
local hooks, number = now[2] or '', 0
for one in string.gmatch(hooks, '[^,]+') do
  if one == id then
    return 1
  end
  number = number + 1
end
local kept = redis.call('GET', answer)
if kept then
  return kept
end
if not now[1] then
  return -1
end
if number >= tonumber(ARGV[4]) then
  return 0
end

redis.call('HSET', game, 'hooks', hooks == '' and id or hooks .. ',' .. id,
  'hook:' .. id, ARGV[2], 'hook:' .. id .. ':state', ARGV[3])
if ARGV[6] ~= '' then
  redis.call('SET', answer, ARGV[5], 'EX', ARGV[6])
end
return 1
