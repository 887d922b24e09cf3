-- Twin of books/lows.ts: how low the level of a bucket has been since any moment, packed: moment and level of each mark, oldest
-- and lowest first.
local pack, unpack, min, max = struct.pack, struct.unpack, math.min, math.max

local MARK = '<dd'
local BYTES = 16

-- So many marks are kept. Beyond, the two whose levels differ least become one, at the lower of them: so much less is given back.
local MOST = 16

local lows = {}

local function thin(marks)
  local at, least = 0, math.huge
  local _, level = unpack(MARK, marks)
  for i = 0, MOST - 1 do
    local _, next = unpack(MARK, marks, (i + 1) * BYTES + 1)
    if next - level < least then at, least = i, next - level end
    level = next
  end
  local from = at * BYTES
  local joined = marks:sub(from + BYTES + 1, from + BYTES + 8) .. marks:sub(from + 9, from + 16)
  return marks:sub(1, from) .. joined .. marks:sub(from + 2 * BYTES + 1)
end

-- `level`: right before a charge at `now`.
function lows.note(marks, now, level)
  local size = #marks
  while size > 0 do
    local moment, lowest = unpack(MARK, marks, size - BYTES + 1)
    if moment == now and lowest <= level then return marks end
    if lowest < level then break end
    size = size - BYTES
  end
  marks = (size == 0 and '' or marks:sub(1, size)) .. pack(MARK, now, level)
  return size == MOST * BYTES and thin(marks) or marks
end

-- The lowest it has been from right after `moment` on. `level`: where it is now.
function lows.since(marks, moment, level)
  for at = 1, #marks, BYTES do
    local one, lowest = unpack(MARK, marks, at)
    if one > moment then return min(level, lowest) end
  end
  return level
end

-- An amount charged at `moment` has been taken out. `level`: where it is now.
function lows.takeOut(marks, moment, amount, level)
  local rest, lowest = '', level
  for at = #marks - BYTES + 1, 1, -BYTES do
    local one, own = unpack(MARK, marks, at)
    lowest = min(lowest, one > moment and max(0, own - amount) or own)
    rest = pack(MARK, one, lowest) .. rest
  end
  return rest
end

return lows
