-- Twin of memory/presence.ts: who stands in the lines of a process's tickets, as its asks tell.
local Plans = require('plans')
local State = require('state')

local Presence = {}

-- The waiter of a ticket of the process whose step this is; false = it waits for nothing.
function Presence.waiterOf(ticket)
  return State.waiting > 0 and require('waiters').ofTicket(State.processId, ticket[1])
end

function Presence.leave(ask)
  local waiter = Presence.waiterOf(ask.ticket)
  if waiter then require('lines').drop(waiter) end
end

-- The place of a ticket is that of its first call.
function Presence.headCame(waiter, at)
  if waiter.arrived == at then return end
  waiter.arrived = at
  for i, entry in ipairs(waiter.entries) do
    local stage = Plans.stage(waiter.plan, i)
    if stage then require('line').headChanged(stage, entry, State.fair) end
  end
end

local function refresh(waiter, ask, now)
  local before = waiter:current()
  local first = ask.heads[1]
  waiter.calls = ask.waiting
  waiter.heads = ask.heads
  waiter.head = 1
  waiter.shownBy = ask
  waiter.newest = now - ask.newestWaitedUs
  waiter.safe = ask.isSafe
  if first and not (before and before.id == first.id) then Presence.headCame(waiter, now - first.waitedUs) end
  -- Being here, it holds up who stands behind it until this step has judged it.
  waiter.pollAt = now
  waiter.changed = true
  local last = #waiter.entries
  for i = 1, last do
    if i < last or waiter.entries[i].state == 'parked' then require('lines').enter(waiter, i) end
  end
end

local function crowded(plan)
  for _, stage in ipairs(plan.stages) do
    if stage.line.size > 0 then return true end
  end
  return false
end

-- The ticket's waiter, brought up to date. A ticket that nobody stands in front of or behind needs none yet.
function Presence.present(ask, now, always)
  local ticket = ask.ticket
  local key, tenant, weight = ticket[1], ticket[3], ticket[4]
  if not State.fair and tenant ~= '' then require('fairness').ofAll() end
  local plan = Plans.of(ticket, now)
  local waiter = Presence.waiterOf(ticket)
  if waiter and not Plans.same(waiter.plan, plan) then
    require('lines').drop(waiter)
    waiter = nil
  elseif waiter then
    waiter.plan = plan
  end
  if not waiter then
    if not always and not crowded(plan) then return nil end
    local Waiters = require('waiters')
    waiter = Waiters.new(State.processId, key, plan, weight, now)
    Waiters.remember(waiter)
  end
  refresh(waiter, ask, now)
  return waiter
end

return Presence
