-- Stores a thread unless it has moved on since it was loaded.
-- KEYS: thread. ARGV: the revision that was seen (decimal), the thread's string,
-- time to live in ms.
-- Answers 1 done (or done before), 0 it has moved on.
local cur = redis.call('GETRANGE', KEYS[1], 0, 29)
if #cur == 30 and string.find(string.sub(cur, 5, 5), '[CT]') then
  local hi, lo = struct.unpack('>I4I4', cur, 23)
  if hi * 4294967296 + lo > tonumber(ARGV[1]) and string.sub(cur, 7, 22) ~= string.sub(ARGV[2], 7, 22) then return 0 end
end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1
