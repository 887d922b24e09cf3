-- Twin of books/recent-charges.ts: the last charges of a bucket, so that one that was never used can be taken out as if it
-- had never been made. They are kept packed in one string, as short as may be, for most steps only carry it along.
local pack, unpack = struct.pack, struct.unpack

-- Charges of so many moments are remembered, for so long: what is given back later is given back in part only.
local MOST = 64
local KEEP_US = 1000000

-- What stands first: moment of the first charge and of the last, how many there are, bytes of the last.
local HEAD = '<ddBB'
local HEAD_BYTES = 18

-- A charge: time since the one before it, and its cost in one byte, where that is enough, or behind a mark.
local SHORT, LONG = '<I3B', '<I3Bd'
local SHORT_BYTES, LONG_BYTES = 4, 12
local MARK = 255

local recentCharges = {}

local function drained(level, us, rate)
  local left = level - us * rate
  return left > 0 and left or 0
end

local function read(charges, at)
  local since, cost = unpack(SHORT, charges, at)
  if cost < MARK then return since, cost, at + SHORT_BYTES end
  cost = unpack('<d', charges, at + SHORT_BYTES)
  return since, cost, at + LONG_BYTES
end

-- Gives the bytes of a charge, and how many they are.
local function write(since, cost)
  if cost < MARK and cost >= 0 and cost % 1 == 0 then return pack(SHORT, since, cost), SHORT_BYTES end
  return pack(LONG, since, MARK, cost), LONG_BYTES
end

-- Makes room for a charge at `now`. `level`: right before it. Gives the charges before it, and the level before the first of
-- them.
function recentCharges.begin(charges, before, now, level, rate)
  if charges == '' then return charges, level end
  local first, last, count, bytes = unpack(HEAD, charges)
  if last == now then return charges, before end
  local at = HEAD_BYTES + 1
  -- The oldest charge becomes part of the level before the next.
  while count >= MOST or now - first > KEEP_US do
    count = count - 1
    if count == 0 then return '', level end
    local _, cost, behind = read(charges, at)
    local since = read(charges, behind)
    before = drained(before + cost, since, rate)
    first, at = first + since, behind
  end
  if at > HEAD_BYTES + 1 then charges = pack(HEAD, first, last, count, bytes) .. charges:sub(at) end
  return charges, before
end

-- Adds it; those of one moment are one.
function recentCharges.add(charges, moment, cost)
  if charges == '' then
    local one, bytes = write(0, cost)
    return pack(HEAD, moment, moment, 1, bytes) .. one
  end
  local first, last, count, bytes = unpack(HEAD, charges)
  local ends, since = #charges, moment - last
  if since == 0 then
    ends = ends - bytes
    local sum
    since, sum = read(charges, ends + 1)
    cost, count = sum + cost, count - 1
  end
  local one
  one, bytes = write(since, cost)
  return pack(HEAD, first, moment, count + 1, bytes) .. charges:sub(HEAD_BYTES + 1, ends) .. one
end

-- Takes `cost` of the charge at `grantedAt` out. Gives the charges without it, and the level at `now` as it would be had it
-- not been made; nil = not remembered.
function recentCharges.without(charges, before, now, grantedAt, cost, rate)
  if charges == '' then return nil end
  local moments, costs, found = {}, {}, nil
  local moment, at = unpack('<d', charges), HEAD_BYTES + 1
  for i = 1, (unpack('B', charges, HEAD_BYTES - 1)) do
    local since
    since, costs[i], at = read(charges, at)
    if i > 1 then moment = moment + since end
    moments[i] = moment
    if moment == grantedAt and costs[i] >= cost then found = i end
  end
  if not found then return nil end
  costs[found] = costs[found] - cost
  local rest, level = '', before
  for i = 1, #moments do
    rest = recentCharges.add(rest, moments[i], costs[i])
    level = drained(level + costs[i], (moments[i + 1] or now) - moments[i], rate)
  end
  return rest, level
end

return recentCharges
