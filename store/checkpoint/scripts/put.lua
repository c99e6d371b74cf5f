-- Adds a checkpoint on top of a thread if its head is the one expected.
-- KEYS: thread. ARGV: expected head (16 bytes, or empty for none), record,
-- how many to keep, time to live in ms.
-- Answers 1 done (or done before), 0 the head is another, -1 unreadable.
local cur = redis.call('GET', KEYS[1])
local rec = ARGV[2]
local id, parent, keep = string.sub(rec, 7, 22), string.sub(rec, 31, 46), tonumber(ARGV[3])
local head, rev, newhi, newlo = '', -1, struct.unpack('>I4I4', rec, 23)
if cur and #cur > 0 then
  local kind = string.sub(cur, 5, 5)
  if kind == 'C' and #cur >= 46 then
    local hi, lo = struct.unpack('>I4I4', cur, 23)
    head, rev = string.sub(cur, 7, 22), hi * 4294967296 + lo
  elseif kind ~= 'W' then
    return -1
  end
end
if head == id then return 1 end
if head ~= ARGV[1] or rev >= newhi * 4294967296 + newlo then return 0 end
local out, kept, n, pos, size = {rec}, {[id] = true}, 1, 1, cur and #cur or 0
local none = string.rep('\0', 16)
while pos + 21 <= size do
  local stop = pos + 3 + struct.unpack('>I4', cur, pos)
  local of = string.sub(cur, pos + 6, pos + 21)
  local stays
  if string.sub(cur, pos + 4, pos + 4) == 'C' then
    n = n + 1
    stays = n <= keep or of == parent
    kept[of] = stays
  else
    stays = kept[of] or of == none
  end
  if stays then out[#out + 1] = string.sub(cur, pos, stop) end
  pos = stop + 1
end
redis.call('SET', KEYS[1], table.concat(out), 'PX', ARGV[4])
return 1
