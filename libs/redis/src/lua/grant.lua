-- Twin of memory/grant.ts.
local Leases = require('leases')
local Plans = require('plans')
local State = require('state')
local chargeOf = require('layout').chargeOf

-- Tickets that a charge of their partition judges anew.
local REJUDGED = 32

local grant = {}

local function judgeAnew(stage, entry, now)
  local waiter = entry.waiter
  local inWhole, by = waiter:inWhole(), waiter.by
  if inWhole then
    if waiter.eligible == 0 then return end
  elseif by == stage.no or by == -1 then
    return
  end
  local head = waiter:current()
  if head == nil then return end
  local admitted = require('outlook').admittedBy(waiter.plan, stage, head, now)
  if admitted < waiter.eligible then
    waiter.eligible = inWhole and admitted or math.max(1, admitted)
    waiter.changed = true
  end
end

-- After a charge or a pause, nothing is owed elsewhere for calls that this partition no longer admits.
function grant.rejudge(stage, now)
  local Line = require('line')
  local seen = 0
  for lane = 0, #stage.line.lanes - 1 do
    for entry in Line.entries(stage, lane) do
      if seen >= REJUDGED then return end
      seen = seen + 1
      judgeAnew(stage, entry, now)
    end
  end
end

-- The first call after a pause is its probe. An operator's pause is over with it.
local function meetPause(stage, head, lease, now)
  local Pause = require('pause')
  local pause = stage.pause
  if not Pause.shut(pause, now) then
    require('pauses').endOf(stage, now)
  elseif not head.observe and Pause.probeDue(pause, now) then
    pause.probe, pause.probeEndsAt = lease.seq, lease.due
    lease.probe = true
  end
end

-- Charges every stage of the plan and makes the lease: all in one step, or none. `shadow`: of an observed call, what would
-- have become of it.
function grant.to(ticket, plan, head, now, shadow)
  local breaker, budget = State.breaker, State.budget
  State.seq = State.seq + 1
  local due = now + head.attemptUs + State.contract.guardUs + Plans.worksAfterUs(plan)
  local lease = Leases.new(plan, head, now, due)
  for i, stage in ipairs(plan.stages) do
    local positions = plan.refs[i][3]
    for j, account in ipairs(stage.books) do
      account:charge(now, plan.lane, chargeOf(head, positions[j]))
    end
    if stage.pause.active then
      stage.changed = true
      meetPause(stage, head, lease, now)
    end
    if not stage.whole and stage.line.size > 0 then
      grant.rejudge(stage, now)
      -- Less is owed to the one that is served: those behind it may be next.
      if stage.line.size > 1 then State.free(stage) end
    end
  end
  if State.claims then State.claims:charge(plan, head) end
  local probesBreaker = false
  if breaker then
    if not head.observe and breaker:probeDue(now) then
      probesBreaker = true
      lease.probe = true
      breaker:probeWith(lease)
    end
    breaker:granted(lease)
  end
  if budget and head.kind ~= 'repeat' then budget:count(now, head.kind, head.place) end
  local grants = State.grants
  local isPlain = not (shadow or lease.probe)
  -- Its sequence number is the next one, and all else as it was.
  if isPlain and State.grantedTo == ticket and State.grantedUntil == due then
    grants[#grants + 1] = head.id
    return
  end
  State.grantedTo, State.grantedUntil = isPlain and ticket or nil, due
  grants[#grants + 1] = {
    ticket[1], head.id, lease.seq, due, lease.probe, probesBreaker, shadow and shadow.cause or false,
    shadow and shadow.waitUs or false, shadow and shadow.limit or false,
  }
end

return grant
