-- Twin of books/given-back.ts: what calls were found not to have cost, and when, packed: moment and amount, oldest first.
local pack, unpack = struct.pack, struct.unpack

local ENTRY = '<dd'
local BYTES = 16

-- So many moments are told apart. Beyond, two neighbours become one, at the later of them.
local MOST = 16

local givenBack = {}

-- Of the older half, every two become one.
local function thin(entries)
  local rest = ''
  for i = 0, MOST / 4 - 1 do
    local at = 2 * i * BYTES + 1
    local _, older = unpack(ENTRY, entries, at)
    local moment, amount = unpack(ENTRY, entries, at + BYTES)
    rest = rest .. pack(ENTRY, moment, older + amount)
  end
  return rest .. entries:sub(MOST / 2 * BYTES + 1)
end

function givenBack.note(entries, now, amount)
  local size = #entries
  if size > 0 then
    local moment, there = unpack(ENTRY, entries, size - BYTES + 1)
    if moment == now then return entries:sub(1, size - BYTES) .. pack(ENTRY, now, there + amount) end
  end
  entries = entries .. pack(ENTRY, now, amount)
  return size == MOST * BYTES and thin(entries) or entries
end

-- What was given back after `moment`.
function givenBack.since(entries, moment)
  local sum = 0
  for at = #entries - BYTES + 1, 1, -BYTES do
    local one, amount = unpack(ENTRY, entries, at)
    if one <= moment then break end
    sum = sum + amount
  end
  return sum
end

return givenBack
