-- Leaves the newest checkpoints of a thread, and the writes that belong to them.
-- KEYS: thread. ARGV: how many to keep.
local cur = redis.call('GET', KEYS[1])
if not cur then return 0 end
local out, kept, n, pos, keep = {}, {}, 0, 1, tonumber(ARGV[1])
local none = string.rep('\0', 16)
while pos + 21 <= #cur do
  local stop = pos + 3 + struct.unpack('>I4', cur, pos)
  local of = string.sub(cur, pos + 6, pos + 21)
  local stays
  if string.sub(cur, pos + 4, pos + 4) == 'C' then
    n = n + 1
    stays = n <= keep
    kept[of] = stays
  else
    stays = kept[of] or of == none
  end
  if stays then out[#out + 1] = string.sub(cur, pos, stop) end
  pos = stop + 1
end
redis.call('SET', KEYS[1], table.concat(out), 'KEEPTTL')
return 1
