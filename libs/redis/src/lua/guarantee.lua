-- Twin of memory/guarantee.ts: per lane, a bucket of its guaranteed rate. While it holds a call, the first of the lane stands
-- before all others.
local Line = require('line')
local Plans = require('plans')
local bounds = require('bounds')
local chargeOf = require('layout').chargeOf

local GRACE_US = bounds.GRACE_US
local max, min, ceil = math.max, math.min, math.ceil

-- A guarantee saves up so much of its rate.
local BURST_US = 200000

local Guarantees = {}
Guarantees.__index = Guarantees

-- `settings`: { account, rates }: index, among the accounts of the whole provider, of the one whose rate is shared out, and by
-- lane what of it is guaranteed, per microsecond; 0 = nothing.
function Guarantees.load(saved, settings)
  local claims = setmetatable({ account = settings.account + 1, rates = settings.rates, changed = saved == nil }, Guarantees)
  -- Two numbers a lane: what it has had of its guarantee, drained at its rate, and when.
  claims.had = saved or {}
  for i = #claims.had + 1, 2 * #settings.rates do claims.had[i] = 0 end
  return claims
end

function Guarantees:save()
  return self.had
end

local function room(rate, cost)
  return max(rate * BURST_US, cost)
end

-- What lane has had, as of now.
local function levelAt(claims, lane, now)
  local had = claims.had
  local i = 2 * lane + 1
  had[i] = max(0, had[i] - (now - had[i + 1]) * claims.rates[lane + 1])
  had[i + 1] = now
  claims.changed = true
  return had[i]
end

local function claimMoment(claims, lane, now, cost)
  local rate = claims.rates[lane + 1]
  local need = levelAt(claims, lane, now) + cost - room(rate, cost)
  return need <= 1e-9 and now or now + ceil(need / rate)
end

local function hasClaim(claims, lane)
  return (claims.rates[lane + 1] or 0) > 0
end

local function first(stage, lane, now)
  for entry in Line.entries(stage, lane) do
    if now <= entry.waiter.pollAt + GRACE_US then return entry end
  end
end

local function costOf(claims, waiter)
  local head = waiter:current()
  if head == nil then return 1 end
  return chargeOf(head, Plans.positions(waiter.plan, #waiter.plan.refs)[claims.account])
end

-- Whether the waiter is the first live one of a lane with a guarantee.
function Guarantees:leads(stage, waiter, now)
  if not hasClaim(self, waiter.lane) then return false end
  local entry = first(stage, waiter.lane, now)
  return entry ~= nil and entry.waiter == waiter
end

function Guarantees:moment(waiter, now)
  if not hasClaim(self, waiter.lane) then return math.huge end
  return claimMoment(self, waiter.lane, now, costOf(self, waiter))
end

-- Nothing is owed in front of one whose guarantee holds; one call is owed to each other lane whose guarantee holds.
function Guarantees:adjust(owed, stage, waiter, now)
  if self:leads(stage, waiter, now) and self:moment(waiter, now) <= now then return owed.clear(#stage.books) end
  for lane = waiter.lane + 1, #self.rates - 1 do
    local entry = hasClaim(self, lane) and first(stage, lane, now)
    if entry and self:moment(entry.waiter, now) <= now then owed.addClaim(stage, entry, now) end
  end
end

-- The first of each lane whose guarantee holds: they stand before all others.
function Guarantees:claims(stage, now)
  local claims = {}
  for lane = 0, #self.rates - 1 do
    local entry = hasClaim(self, lane) and first(stage, lane, now)
    if entry and self:moment(entry.waiter, now) <= now then claims[#claims + 1] = entry end
  end
  return claims
end

function Guarantees:charge(plan, head, now)
  local lane = plan.lane
  if not hasClaim(self, lane) then return end
  local cost = chargeOf(head, Plans.positions(plan, #plan.refs)[self.account])
  local level = levelAt(self, lane, now)
  self.had[2 * lane + 1] = min(room(self.rates[lane + 1], cost), level + cost)
end

return Guarantees
