-- The part of memory/stages.ts that brings lines into fair order.
local State = require('state')
local Stages = require('stages')

local fairness = {}

-- The first tenant has come: from now on the lines are in fair order, each from when it is next looked at.
function fairness.of(stage)
  require('line').makeFair(stage, function(waiter)
    local head = waiter:current()
    return head and require('lines').shareOf(waiter.plan, stage, head) or 0
  end)
end

function fairness.ofAll()
  State.fair = true
  for _, stage in pairs(Stages.known) do
    if stage then fairness.of(stage) end
  end
end

return fairness
