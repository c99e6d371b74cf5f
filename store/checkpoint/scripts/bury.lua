-- Deletes a thread, unless it was begun again after its burial.
-- KEYS: thread. ARGV: the revision (decimal) up to which it is dead.
local cur = redis.call('GET', KEYS[1])
if not cur then return 0 end
if string.sub(cur, 5, 5) == 'C' and #cur >= 46 then
  local hi, lo = struct.unpack('>I4I4', cur, 23)
  if hi * 4294967296 + lo > tonumber(ARGV[1]) then return 0 end
end
return redis.call('DEL', KEYS[1])
