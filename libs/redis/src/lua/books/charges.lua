-- Twin of books/charges.ts: what a bucket was charged, and when, so that a charge that was never used can be taken out as if it
-- had never been made. Packed: moment and cost of each, oldest first.
local pack, unpack, min = struct.pack, struct.unpack, math.min

local ENTRY = '<dd'
local BYTES = 16

-- Charges of so many moments are told apart. Beyond, two neighbours become one, at the later of them: less is given back then.
local MOST = 24

local charges = {}

-- The last charge and its moment; nil = there is none.
function charges.last(entries)
  local size = #entries
  if size == 0 then return nil end
  local moment, cost = unpack(ENTRY, entries, size - BYTES + 1)
  return moment, cost
end

function charges.withoutLast(entries)
  return entries:sub(1, #entries - BYTES)
end

-- Of the older half, every two become one.
local function thin(entries)
  local rest = ''
  for i = 0, MOST / 4 - 1 do
    local at = 2 * i * BYTES + 1
    local _, older = unpack(ENTRY, entries, at)
    local moment, cost = unpack(ENTRY, entries, at + BYTES)
    rest = rest .. pack(ENTRY, moment, older + cost)
  end
  return rest .. entries:sub(MOST / 2 * BYTES + 1)
end

function charges.add(entries, moment, cost)
  entries = entries .. pack(ENTRY, moment, cost)
  return #entries > MOST * BYTES and thin(entries) or entries
end

-- Takes `cost` of what was charged at `grantedAt` out; `level`: at `now`, with it. Gives the charges without it, and how much
-- lower the level is then: nothing of what has drained, or is not remembered.
function charges.takeOut(entries, before, now, grantedAt, cost, level, rate)
  local moments, costs, found = {}, {}, nil
  for at = 1, #entries, BYTES do
    local n = #moments + 1
    moments[n], costs[n] = unpack(ENTRY, entries, at)
    if not found and moments[n] >= grantedAt then found = n end
  end
  if not found then return entries, 0 end
  local there = costs[found]
  local taken = min(cost, there)
  costs[found] = there - taken
  local rest, without = '', before
  for i = 1, #moments do
    rest = rest .. pack(ENTRY, moments[i], costs[i])
    local left = without + costs[i] - ((moments[i + 1] or now) - moments[i]) * rate
    without = left > 0 and left or 0
  end
  local lower = level - without
  if lower <= 0 then return rest, 0 end
  return rest, min(lower, taken)
end

return charges
