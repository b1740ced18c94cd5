-- Add a webhook to a game. All keys share the game's hash tag.
--
-- KEYS  1 game   2 a string of the game, to which nothing is written: what refuses that could not add one
-- ARGV  1 id   2 webhook   3 its state   4 how many a game may have   5 field of the idempotency key ('' for none)
--       6 its record
-- Returns 1 when it is stored, 0 when there are too many, the record that is kept already, or -1: no such game.

local game = KEYS[1]
local id = ARGV[1]

redis.call('SETRANGE', KEYS[2], 0, '')
local now = redis.call('HMGET', game, 'version', 'hooks', ARGV[5])

-- When a record was kept, in Unix seconds; a day later it counts no more.
local function at(record)
  local a, b, c, d = string.byte(record, 3, 6)
  return ((a * 256 + b) * 256 + c) * 256 + d
end

if ARGV[5] ~= '' then
  local kept = now[3]
  if kept and at(ARGV[6]) - at(kept) >= 86400 then
    kept = false
  end
  if kept then
    return kept
  end
end
local hooks, number = now[2] or '', 0
for one in string.gmatch(hooks, '[^,]+') do
  if one == id then
    return 1
  end
  number = number + 1
end
if not now[1] then
  return -1
end
if number >= tonumber(ARGV[4]) then
  return 0
end

redis.call('HSET', game, 'hooks', hooks == '' and id or hooks .. ',' .. id,
  'hook:' .. id, ARGV[2], 'hook:' .. id .. ':state', ARGV[3])
if ARGV[5] ~= '' then
  redis.call('HSET', game, ARGV[5], ARGV[6])
end
return 1
