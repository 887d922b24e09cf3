-- Twin of books/recent-charges.ts: the last charges of a bucket, so that one that was never used can be taken out as if it
-- had never been made. They are kept packed in one string, two doubles each, which is copied rather than read in most steps.
local pack, unpack = struct.pack, struct.unpack

-- Charges of so many moments are remembered, for so long: what is given back later is given back in part only.
local MOST = 64
local KEEP_US = 1000000

local CHARGE = '<dd'
local BYTES = 16

local recentCharges = {}

local function drained(level, us, rate)
  local left = level - us * rate
  return left > 0 and left or 0
end

-- The oldest charge becomes part of the level before the next. Gives what is left of the string, and that level.
local function dropFirst(charges, before, rate)
  if #charges == BYTES then return '', before end
  local at, cost, _ = unpack(CHARGE, charges, 1)
  local nextAt = unpack('<d', charges, BYTES + 1)
  return charges:sub(BYTES + 1), drained(before + cost, nextAt - at, rate)
end

-- Makes room for a charge at `now`. `level`: right before it. Gives the charges before it, and the level before the first of
-- them.
function recentCharges.begin(charges, before, now, level, rate)
  if #charges > 0 and unpack('<d', charges, #charges - BYTES + 1) == now then return charges, before end
  while #charges > 0 and (#charges >= MOST * BYTES or now - unpack('<d', charges, 1) > KEEP_US) do
    charges, before = dropFirst(charges, before, rate)
  end
  if #charges == 0 then before = level end
  return charges, before
end

-- Adds it; those of one moment are one.
function recentCharges.add(charges, at, cost)
  local behind = #charges - BYTES
  if behind >= 0 then
    local last, sum = unpack(CHARGE, charges, behind + 1)
    if last == at then return charges:sub(1, behind) .. pack(CHARGE, at, sum + cost) end
  end
  return charges .. pack(CHARGE, at, cost)
end

-- Takes `cost` of the charge at `grantedAt` out. Gives the charges without it, and the level at `now` as it would be had it
-- not been made; nil = not remembered.
function recentCharges.without(charges, before, now, grantedAt, cost, rate)
  local found, left
  for at = #charges - BYTES + 1, 1, -BYTES do
    local charged, amount = unpack(CHARGE, charges, at)
    if charged == grantedAt and amount >= cost then
      found, left = at, amount - cost
      break
    end
  end
  if found == nil then return nil end
  charges = charges:sub(1, found - 1) .. pack(CHARGE, grantedAt, left) .. charges:sub(found + BYTES)
  local level = before
  for at = 1, #charges, BYTES do
    local charged, amount = unpack(CHARGE, charges, at)
    local ends = at + BYTES < #charges and unpack('<d', charges, at + BYTES) or now
    level = drained(level + amount, ends - charged, rate)
  end
  return charges, level
end

return recentCharges
