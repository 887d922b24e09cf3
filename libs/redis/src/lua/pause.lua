-- Twin of memory/pause.ts: the pause of one stage. `until` and `end` are words of Lua: `untilUs` and `finish` stand for them.
local Pause = {}

local function begin(pause, now, nowSeq)
  pause.active = true
  pause.beganAt = now
  pause.untilUs = 0
  pause.epoch = nowSeq
  pause.step = 0
  pause.probe = nil
end

-- How long the pause after refusal number `step` (1, 2, ...) in a row lasts where the provider does not say.
local function pauseLength(schedule, step)
  local length = schedule.initialUs
  for _ = 2, step do
    if length >= schedule.maxUs then break end
    length = length * schedule.factor
  end
  return length < schedule.maxUs and length or schedule.maxUs
end

-- A refusal by the provider: 'none' = nothing changed, 'started' or 'lengthened'. `seq`: of the refused attempt; `nowSeq`: the
-- gate's.
function Pause.refuse(pause, schedule, now, hintUs, seq, isProbe, nowSeq)
  local late = not isProbe and seq <= pause.epoch
  if late or (pause.active and pause.tested and not isProbe) then
    -- News of before the pause, or of a call sent in spite of it: it can lengthen the wait, nothing else.
    if hintUs == nil or now + hintUs <= pause.untilUs or now + hintUs <= now then return 'none' end
    if not pause.active then begin(pause, now, nowSeq) end
    pause.tested = true
    pause.hinted = true
    pause.untilUs = now + hintUs
    return 'lengthened'
  end
  if not pause.active then begin(pause, now, nowSeq) end
  pause.probe = nil
  pause.tested = true
  pause.epoch = nowSeq
  pause.hinted = hintUs ~= nil
  if hintUs == nil then pause.step = pause.step + 1 end
  local untilUs = now + (hintUs or pauseLength(schedule, pause.step))
  -- An operator's longer pause is not shortened.
  if untilUs > pause.untilUs then pause.untilUs = untilUs end
  return 'started'
end

-- The operator's pause.
function Pause.hold(pause, now, forUs, nowSeq)
  if not pause.active then
    begin(pause, now, nowSeq)
    pause.tested = false
    pause.hinted = true
  end
  if now + forUs > pause.untilUs then pause.untilUs = now + forUs end
end

-- It is over: what is granted from now on belongs to a new epoch.
function Pause.finish(pause, nowSeq)
  pause.active = false
  pause.untilUs = 0
  pause.step = 0
  pause.epoch = nowSeq
  pause.tested = false
  pause.probe = nil
end

-- The probe was answered, and not with a refusal. True = the pause is over; false = an older answer has made it longer.
function Pause.probeAlive(pause, now, nowSeq)
  pause.probe = nil
  pause.step = 0
  if pause.untilUs > now then return false end
  Pause.finish(pause, nowSeq)
  return true
end

-- A probe is wanted and nobody has it.
function Pause.probeDue(pause, now)
  return pause.active and pause.tested and pause.untilUs <= now and pause.probe == nil
end

-- Nothing passes but a probe. An operator's pause is simply over at its end.
function Pause.shut(pause, now)
  return pause.active and (pause.tested or pause.untilUs > now)
end

return Pause
