-- Twin of books/given-back.ts: what calls were found not to have cost, and when, packed: moment, amount and when they were
-- granted, oldest first.
local pack, unpack = struct.pack, struct.unpack

local ENTRY = '<ddd'
local BYTES = 24

-- So many are told apart. Beyond, two neighbours become one, at the later of their moments.
local MOST = 16

local givenBack = {}

-- Of the older half, every two become one.
local function thin(entries)
  local rest = ''
  for i = 0, MOST / 4 - 1 do
    local at = 2 * i * BYTES + 1
    local _, older, first = unpack(ENTRY, entries, at)
    local moment, amount, grantedAt = unpack(ENTRY, entries, at + BYTES)
    rest = rest .. pack(ENTRY, moment, older + amount, math.min(first, grantedAt))
  end
  return rest .. entries:sub(MOST / 2 * BYTES + 1)
end

function givenBack.note(entries, now, amount, grantedAt)
  local size = #entries
  if size > 0 then
    local moment, there, granted = unpack(ENTRY, entries, size - BYTES + 1)
    if moment == now and granted == grantedAt then
      return entries:sub(1, size - BYTES) .. pack(ENTRY, now, there + amount, grantedAt)
    end
  end
  entries = entries .. pack(ENTRY, now, amount, grantedAt)
  return size == MOST * BYTES and thin(entries) or entries
end

-- What was given back after `moment` of calls that were granted before another.
function givenBack.since(entries, moment, grantedBefore)
  local sum = 0
  for at = #entries - BYTES + 1, 1, -BYTES do
    local one, amount, grantedAt = unpack(ENTRY, entries, at)
    if one <= moment then break end
    if grantedAt < grantedBefore then sum = sum + amount end
  end
  return sum
end

return givenBack
