-- Twin of memory/guarantee.ts: per lane, a share of all that is granted. While a call of it is due, the first of the lane stands
-- before all others.
local Line = require('line')
local Plans = require('plans')
local book = require('books/book')
local bounds = require('bounds')
local chargeOf = require('layout').chargeOf

local GRACE_US, QUANTUM, EPSILON = bounds.GRACE_US, bounds.QUANTUM, book.EPSILON
local max, min, ceil, floor = math.max, math.min, math.ceil, math.floor

-- Of an account, no lane: nothing is kept from it for others.
local NO_LANE = -1

-- One that looked too early looks again after an eighth of the time from one call of its guarantee to the next, if no hint
-- comes.
local LOOKS = 8

local Guarantees = {}
Guarantees.__index = Guarantees

-- `settings`: as gate/guaranteed.ts has them.
function Guarantees.load(saved, settings)
  local claims = setmetatable({
    account = settings.account + 1, perUs = settings.perUs, size = settings.size, lanes = settings.lanes,
    changed = saved == nil,
  }, Guarantees)
  -- By lane, what it has had beyond its share of all that was granted since; at zero a call is due to it.
  claims.had = saved or {}
  for i = #claims.had + 1, #settings.lanes do claims.had[i] = 0 end
  return claims
end

function Guarantees:save()
  return self.had
end

-- Whether the lane has one.
function Guarantees:of(lane)
  local numbers = self.lanes[lane + 1]
  return numbers ~= nil and numbers.share > 0
end

local function isDue(claims, lane)
  return claims:of(lane) and claims.had[lane + 1] <= EPSILON
end

local function first(stage, lane, now)
  for entry in Line.entries(stage, lane) do
    if now <= entry.waiter.pollAt + GRACE_US then return entry end
  end
end

local function costOf(claims, plan, head)
  return chargeOf(head, Plans.positions(plan, #plan.refs)[claims.account])
end

-- Whether the waiter is the first live one of a lane with a guarantee.
function Guarantees:leads(stage, waiter, now)
  if not self:of(waiter.lane) then return false end
  local entry = first(stage, waiter.lane, now)
  return entry ~= nil and entry.waiter == waiter
end

-- When a call of its lane is due, if all is granted that the rate allows.
function Guarantees:moment(waiter, now)
  if not self:of(waiter.lane) then return math.huge end
  if isDue(self, waiter.lane) then return now end
  local head = waiter:current()
  local least = head and costOf(self, waiter.plan, head) / LOOKS or 0
  return now + ceil(max(self.had[waiter.lane + 1], least) / (self.lanes[waiter.lane + 1].share * self.perUs))
end

-- So many calls like its first are due to the waiter, which is the first of its lane.
local function callsOf(claims, waiter)
  local head = waiter:current()
  local cost = head and costOf(claims, waiter.plan, head) or 0
  return min(waiter.calls, QUANTUM, cost > 0 and 1 + floor(-claims.had[waiter.lane + 1] / cost + EPSILON) or 1)
end

-- Nothing is owed in front of one whose lane is due a call; to each other lane that is due one, so many are owed. True = it is
-- such a one: what is kept for other lanes is not kept from it. That it is due says that others were granted all else.
function Guarantees:adjust(owed, stage, waiter, now)
  if isDue(self, waiter.lane) and self:leads(stage, waiter, now) then
    owed.clear(#stage.books)
    return true
  end
  for lane = waiter.lane + 1, #self.lanes - 1 do
    local entry = isDue(self, lane) and first(stage, lane, now)
    if entry then owed.addClaim(stage, entry, callsOf(self, entry.waiter), now) end
  end
  return false
end

-- The first of each lane that is due a call, and how many are due to it: they stand before all others.
function Guarantees:dueIn(stage, now)
  local found = {}
  for lane = 0, #self.lanes - 1 do
    local entry = isDue(self, lane) and first(stage, lane, now)
    if entry then found[#found + 1] = { waiter = entry.waiter, calls = callsOf(self, entry.waiter) } end
  end
  return found
end

function Guarantees:charge(plan, head)
  local cost = costOf(self, plan, head)
  local lines = plan.stages[#plan.refs].line.lanes
  local had = self.had
  for i, numbers in ipairs(self.lanes) do
    local share = numbers.share
    if share <= 0 then
      -- It has none.
    elseif i == plan.lane + 1 then
      -- What it got beyond its share is held against it until the others had what they reserved.
      local first = share * max(numbers.reserved, numbers.permits * cost)
      had[i] = min(had[i], first) + cost * (1 - share)
    else
      -- What is due to one that waits is saved up until the account that is shared out was empty once.
      local waits = lines[i] ~= nil and lines[i].size > 0
      had[i] = max(had[i] - cost * share, waits and -(share * self.size) or 0)
    end
  end
  self.changed = true
end

-- The lane by which an account judges one that is `due` a call of its guarantee. A reserve that comes back with a new period
-- only stays what it is.
function Guarantees.laneFor(account, lane, due)
  return due and account.renews and NO_LANE or lane
end

return Guarantees
