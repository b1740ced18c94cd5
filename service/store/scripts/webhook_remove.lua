-- Remove a webhook from a game or an API key.
--
-- KEYS  1 game or API key   2 lease   3 delivery attempts
-- ARGV  1 webhook id
-- Returns 1; 0 if there was no such webhook.

local game, id = KEYS[1], ARGV[1]
redis.call('DEL', KEYS[2], KEYS[3])
if redis.call('HDEL', game, 'hook:' .. id, 'hook:' .. id .. ':state') == 0 then
  return 0
end

local left = {}
for one in string.gmatch(redis.call('HGET', game, 'hooks') or '', '[^,]+') do
  if one ~= id then
    left[#left + 1] = one
  end
end
if #left == 0 then
  redis.call('HDEL', game, 'hooks')
else
  redis.call('HSET', game, 'hooks', table.concat(left, ','))
end
return 1
