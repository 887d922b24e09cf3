-- Calls of one ticket that are alike, as most of those are that come together. Nobody stands in line, the first of them was
-- granted just now: so many more as fit for certain are granted without judging each. What this decides is what
-- `Service:one` would decide of each of them in turn; the last one that may fit, and all that are not plain, are left to it.
local Leases = require('leases')
local State = require('state')
local chargeOf = require('layout').chargeOf

local min = math.min

-- How many from number `i` on are like the one before.
local function runOf(heads, i, most)
  local before = heads[i - 1]
  local n = 0
  while n < most do
    local head = heads[i + n]
    if not head or head.charges ~= before.charges or head.kind ~= before.kind then break end
    if head.observe or head.attemptUs ~= before.attemptUs then break end
    n = n + 1
  end
  return n
end

-- How many of them fit for certain: one that only just may is judged as any other.
local function admitted(plan, head, most, now)
  for i, stage in ipairs(plan.stages) do
    if stage.pause.active or stage.line.size > 0 then return 0 end
    local positions = plan.refs[i][3]
    for j, account in ipairs(stage.books) do
      if account.taken then return 0 end
      most = min(most, account:admits(now, plan.lane, chargeOf(head, positions[j])) - 1)
    end
  end
  return most
end

local function chargeAll(plan, head, count, now)
  for i, stage in ipairs(plan.stages) do
    local positions = plan.refs[i][3]
    for j, account in ipairs(stage.books) do
      local cost = chargeOf(head, positions[j])
      for _ = 1, count do account:charge(now, plan.lane, cost) end
    end
  end
end

-- Grants those of the heads from number `i` on that are like the one before. Gives how many they are.
return function(ticket, plan, heads, i, most, now)
  local before, budget = heads[i - 1], State.budget
  if State.breaker or State.claims or before.kind == 'retry' or before.observe then return 0 end
  local count = runOf(heads, i, most)
  if count > 1 then count = admitted(plan, before, count, now) end
  if count < 2 then return 0 end
  chargeAll(plan, before, count, now)
  Leases.newAlike(plan, before, now, State.grantedUntil, count)
  local grants, size = State.grants, #State.grants
  for n = 0, count - 1 do
    if budget and before.kind ~= 'repeat' then budget:count(now, before.kind, heads[i + n].place) end
    grants[size + 1 + n] = heads[i + n].id
  end
  return count
end
