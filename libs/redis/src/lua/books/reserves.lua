-- Twin of books/reserves.ts.
local NONE = require('books/book').NONE

local reserves = {}

local function sum(numbers)
  local total = 0
  for i = 1, #numbers do total = total + numbers[i] end
  return total
end
reserves.sum = sum

-- How much of `cost` comes out of a lane's own reserve: what is left for all is used first.
function reserves.fromReserve(cost, leftForAll, leftOfReserve)
  local beyond = leftForAll > 0 and cost - leftForAll or cost
  if beyond <= 0 or leftOfReserve <= 0 then return 0 end
  return beyond < leftOfReserve and beyond or leftOfReserve
end

-- Per lane, what the others have reserved: it may not be touched while they have not taken it.
function reserves.keptForOthers(list)
  local total = sum(list)
  if total == 0 then return NONE end
  local kept = {}
  for i = 1, #list do kept[i] = total - list[i] end
  return kept
end

-- Where several lanes have reserves, it matters who took what: otherwise one's own reserve, once taken, would look like
-- the other's.
function reserves.severalReserves(list)
  local count = 0
  for i = 1, #list do if list[i] > 0 then count = count + 1 end end
  return count > 1
end

-- What is left of the list of what was taken under other reserves; nil = it need not be known.
function reserves.takenUnder(list, taken)
  if not reserves.severalReserves(list) then return nil end
  local now = {}
  for i = 1, #list do now[i] = math.min(list[i], taken and taken[i] or 0) end
  return now
end

-- What all lanes but one have taken out of their reserves.
function reserves.takenByOthers(taken, lane)
  return sum(taken) - (taken[lane + 1] or 0)
end

return reserves
