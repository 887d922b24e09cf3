-- The part of memory/state.ts that tells of pauses as they begin and end.
local Pause = require('pause')
local State = require('state')
local calls = require('calls')

local pauses = {}

function pauses.started(stage)
  local pause = stage.pause
  stage.changed = true
  State.change('pause-started', stage.key, pause.untilUs, pause.step, pause.hinted)
  State.free(stage)
end

function pauses.ended(stage, lastedUs)
  stage.changed = true
  State.change('pause-ended', stage.key, lastedUs)
  calls.all(stage)
end

function pauses.endOf(stage, now)
  if not stage.pause.active then return end
  local lastedUs = now - stage.pause.beganAt
  Pause.finish(stage.pause, State.seq)
  pauses.ended(stage, lastedUs)
end

-- The operator's word: whatever the provider said of its waits and resets is over.
function pauses.reopen(stage, now)
  local shut = false
  for _, account in ipairs(stage.books) do
    shut = shut or account.shutUntil > now
    account.shutUntil = 0
    account.changed = true
  end
  if stage.pause.active then
    pauses.endOf(stage, now)
  elseif shut then
    calls.all(stage)
  end
end

return pauses
