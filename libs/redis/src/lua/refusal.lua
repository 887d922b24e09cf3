-- The part of memory/settle.ts that a refusal by the provider needs.
local Pause = require('pause')
local Plans = require('plans')
local State = require('state')

local refusal = {}

function refusal.isLostProbe(pause, seq, now)
  -- Only its probe can have been granted since a pause began.
  return Pause.probeDue(pause, now) and seq > pause.epoch
end

-- The provider refused: the stage of that limit pauses.
function refusal.met(plan, settle, seq, lease, now)
  local limit, waitUs = settle.refusal.limit, settle.refusal.waitUs
  local index = limit and Plans.stageOf(plan, limit) or plan.narrowest
  local stage = Plans.live(plan, index, now)
  local isProbe
  if lease then isProbe = stage.pause.probe == lease.seq else isProbe = refusal.isLostProbe(stage.pause, seq, now) end
  local move = Pause.refuse(stage.pause, State.contract.pause, now, waitUs, seq, isProbe, State.seq)
  if move == 'none' then return end
  for _, account in ipairs(stage.books) do
    if limit == nil or account.limit == limit then account:empty(now) end
  end
  if not stage.whole then require('grant').rejudge(stage, now) end
  require('pauses').started(stage)
end

return refusal
