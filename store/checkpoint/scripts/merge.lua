-- Takes over a thread that was written elsewhere, unless what is here is newer.
-- KEYS: thread. ARGV: the thread's string, time to live in ms.
-- Answers 1 taken, 0 not.
local function rev(s)
  if string.sub(s, 5, 5) ~= 'C' or #s < 46 then return 0 end
  local hi, lo = struct.unpack('>I4I4', s, 23)
  return hi * 4294967296 + lo
end
local cur = redis.call('GET', KEYS[1])
if cur and rev(cur) > rev(ARGV[1]) then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
