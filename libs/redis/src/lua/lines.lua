-- The part of memory/state.ts that puts tickets into lines and takes them out of all of them.
local BareRetries = require('bare-retries')
local Line = require('line')
local Plans = require('plans')
local State = require('state')
local Waiters = require('waiters')
local chargeOf = require('layout').chargeOf

local Lines = {}

-- Share of the stage that one call takes: the largest over its accounts.
function Lines.shareOf(plan, stage, head)
  local positions = Plans.positionsIn(plan, stage)
  local share = 0
  for j, account in ipairs(stage.books) do
    local charge = chargeOf(head, positions[j])
    -- What an account can hold may depend on the dearest call it has seen: it has not seen this one yet.
    if charge > 0 then share = math.max(share, charge / math.max(charge, account.capacity)) end
  end
  return share > 0 and share or 1
end

function Lines.enter(waiter, index)
  local entry = waiter.entries[index]
  if entry.state == 'in' then return end
  local stage = Plans.stage(waiter.plan, index)
  local head = waiter:current()
  local share = State.fair and head and Lines.shareOf(waiter.plan, stage, head) or 0
  Line.enter(stage, entry, share, State.fair)
end

-- Takes a ticket out of every line.
function Lines.drop(waiter)
  BareRetries.forget(waiter)
  local plan = waiter.plan
  for i, entry in ipairs(waiter.entries) do
    local stage = Plans.stage(plan, i)
    if stage and entry.state ~= 'out' then Line.leave(stage, entry, false) end
  end
  Waiters.delete(waiter)
  for i = 1, #plan.refs do
    local stage = Plans.stage(plan, i)
    if stage then State.free(stage) end
  end
end

return Lines
