-- Twin of memory/owed.ts: what is owed, in a stage, to those who stand in front of a ticket, by account of the stage.
local Costs = require('costs')
local Line = require('line')
local Plans = require('plans')
local bounds = require('bounds')
local chargeOf = require('layout').chargeOf

-- Tickets that are looked at in front of one; what stands beyond is taken to be like them.
local SCAN = 32

local Owed = {
  amounts = {},
  -- The part of it that is owed to better lanes.
  better = {},
}

-- Late tickets that may still be parked in this step: bounds a step's work.
require('fresh').each(function() Owed.visits = 64 end)

local QUANTUM, GRACE_US = bounds.QUANTUM, bounds.GRACE_US
local min, max, ceil = math.min, math.max, math.ceil

function Owed.clear(books)
  for j = 1, books do
    Owed.amounts[j] = 0
    Owed.better[j] = 0
  end
end

-- How many of the calls of a ticket came before the head of another: one at least, for it stands in front.
local function cameBefore(other, waiter)
  local span = other.newest - other.arrived
  if span <= 0 then return other.calls end
  local share = (waiter.arrived - other.arrived) / span
  return max(1, other.calls * (share > 1 and 1 or share))
end

-- How many of the entry's calls stand before the head of `waiter`, whose own entry is `own`.
local function callsBefore(entry, waiter, own)
  local other = entry.waiter
  if entry.span > 0 then
    if other.lane < waiter.lane then return min(other.calls, QUANTUM) end
    if other.tenant == waiter.tenant then return min(cameBefore(other, waiter), QUANTUM) end
    -- Fair order: its head, and the next of its calls whose tags lie before.
    local next = ceil((own.rank - entry.rank) / entry.span)
    return max(1, min(other.calls, QUANTUM, next))
  end
  return other.lane < waiter.lane and other.calls or cameBefore(other, waiter)
end

-- What the first call of a ticket charges each account of the stage.
local function chargesOf(stage, entry)
  local waiter = entry.waiter
  local charges = Costs.chargesIn(waiter, stage)
  if charges then return charges end
  local head = waiter.heads[waiter.head]
  if head == nil then return nil end
  if entry.chargedFor ~= head then
    local positions = Plans.positionsIn(waiter.plan, stage)
    charges = {}
    for j = 1, #stage.books do charges[j] = chargeOf(head, positions[j]) end
    entry.chargedFor, entry.charges = head, charges
  end
  return entry.charges
end

local function addPlace(stage, waiter, charges, count, standing, now)
  local amounts = Owed.amounts
  for j, account in ipairs(stage.books) do
    local cost = count * charges[j]
    if account.certain then
      amounts[j] = amounts[j] + account:place(now, waiter.moment, cost)
    elseif standing then
      amounts[j] = amounts[j] + cost
    end
  end
end

-- What is owed for `calls` of the entry's ticket: all, or only a place at its moment where something else holds it up.
function Owed.add(stage, entry, calls, now)
  local waiter = entry.waiter
  -- Whom only the retry budget holds up takes no place: it may not come for long.
  local charges = not waiter.aside and chargesOf(stage, entry)
  if not charges then return end
  local entries = waiter.entries
  local standing = entries[#entries].state == 'in'
  local here = waiter.by == stage.no or waiter.by == -1
  local count = calls
  local bounded
  -- Of one that this partition holds up, no more is owed than the others would let pass.
  if standing then bounded = stage.whole or not here else bounded = waiter.by == stage.no end
  if bounded then
    if waiter.eligible < count then count = waiter.eligible end
  elseif not here then
    count = 1
  end
  if not here then return addPlace(stage, waiter, charges, count, standing, now) end
  local amounts = Owed.amounts
  for j = 1, #charges do amounts[j] = amounts[j] + count * charges[j] end
end

-- Adds calls owed to one who stands before all others. They take nothing of a reserve that does not renew itself.
function Owed.addClaim(stage, entry, calls, now)
  local amounts, better = Owed.amounts, Owed.better
  local before = {}
  for j = 1, #stage.books do before[j] = amounts[j] end
  Owed.add(stage, entry, calls, now)
  for j, account in ipairs(stage.books) do
    if not account.renews then better[j] = better[j] + (amounts[j] - before[j]) end
  end
end

-- What stands beyond is taken to be like what was looked at.
local function extrapolate(books, factor)
  for j = 1, books do Owed.amounts[j] = Owed.amounts[j] * factor end
end

-- How many entries of a lane stand before the ticket that is judged.
local function countBefore(stage, lane, waiter, own)
  if lane == waiter.lane then return Line.before(stage, own) end
  return Line.lane(stage, lane).size
end

local function gatherLane(stage, lane, waiter, own, before, now)
  local seen = before
  local front = Line.lane(stage, lane).front
  local i = 1
  local entry = front[i] or Line.at(stage, lane, i)
  while entry and (lane < waiter.lane or Line.standsBefore(entry, own.rank, own.no)) do
    if seen >= SCAN then
      local rest = countBefore(stage, lane, waiter, own) - (i - 1)
      extrapolate(#stage.books, (seen + rest) / seen)
      return seen + rest
    end
    local late = now > entry.waiter.pollAt + GRACE_US
    if late and Owed.visits > 0 then
      Owed.visits = Owed.visits - 1
      Line.park(stage, entry)
    else
      seen = seen + 1
      i = i + 1
      if not late then Owed.add(stage, entry, callsBefore(entry, waiter, own), now) end
    end
    entry = front[i] or Line.at(stage, lane, i)
  end
  return seen
end

-- Adds up what is owed before `waiter`, which is in the line of its stage number `index`.
function Owed.gather(stage, index, waiter, now)
  Owed.clear(#stage.books)
  local own = waiter.entries[index]
  local seen = 0
  for lane = 0, math.min(waiter.lane, #stage.line.lanes - 1) do
    if lane == waiter.lane then
      for j = 1, #stage.books do Owed.better[j] = Owed.amounts[j] end
    end
    seen = gatherLane(stage, lane, waiter, own, seen, now)
  end
end

return Owed
