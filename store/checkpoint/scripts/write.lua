-- Notes a task's result under a thread unless there is one.
-- KEYS: thread. ARGV: checkpoint (16 bytes, zero: before the first), what tells
-- the task (checkpoint, length, name), record, time to live in ms.
-- Answers the record that counts, or 0: no such checkpoint.
local cur = redis.call('GET', KEYS[1]) or ''
local found, pos, size = ARGV[1] == string.rep('\0', 16), 1, #cur
while pos + 21 <= size do
  local stop = pos + 3 + struct.unpack('>I4', cur, pos)
  if string.sub(cur, pos + 4, pos + 4) == 'C' then
    found = found or string.sub(cur, pos + 6, pos + 21) == ARGV[1]
  elseif string.sub(cur, pos + 6, pos + 5 + #ARGV[2]) == ARGV[2] then
    return string.sub(cur, pos, stop)
  end
  pos = stop + 1
end
if not found then return 0 end
redis.call('SET', KEYS[1], cur .. ARGV[3], 'PX', ARGV[4])
return ARGV[3]
