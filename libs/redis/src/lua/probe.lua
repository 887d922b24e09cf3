-- The part of memory/settle.ts that probes need: what their answers mean, and what becomes of them without one.
local Pause = require('pause')
local State = require('state')
local settle = require('settle')

local stagesOf, release = settle.stagesOf, settle.release

local probe = {}

-- What the answer to a probe means for the pauses it tests.
function probe.ended(lease, settle, now)
  for _, stage in stagesOf(lease.plan) do
    local pause = stage.pause
    if pause.probe == lease.seq then
      stage.changed = true
      if settle.ended ~= 'answered' then
        -- It tells nothing: the next one tests the water.
        pause.probe = nil
        State.free(stage)
      else
        local lastedUs = now - pause.beganAt
        if Pause.probeAlive(pause, now, State.seq) then require('pauses').ended(stage, lastedUs) end
      end
    end
  end
end

-- Its time is over: its owner is gone, or kept it for the provider's sake. A probe that is lost is anyone's again.
function probe.expire(lease)
  if not lease.settled then
    for _, stage in stagesOf(lease.plan) do
      if stage.pause.probe == lease.seq then
        stage.pause.probe = nil
        stage.changed = true
        State.free(stage)
      end
    end
    local breaker = State.breaker
    if breaker then
      breaker:ended(lease, false)
      if breaker.probe == lease.seq then breaker:loseProbe() end
    end
    lease.settled = true
  end
  release(lease)
end

return probe
