-- What a stage keeps of its pause. Most steps need no more of it.
local record = {}

function record.new()
  return {
    -- On, or over and waiting for its probe's answer.
    active = false,
    untilUs = 0,
    -- Sequence number at which it began. Answers to attempts granted before do not end it or advance its schedule.
    epoch = 0,
    -- Refusals in a row, the first one included.
    step = 0,
    beganAt = 0,
    hinted = false,
    -- Ends with a good answer to a leased probe only. An operator's pause simply ends.
    tested = false,
    -- Sequence number of the attempt that tests the water, and when its lease expires; nil = nobody does.
    probe = nil,
    probeEndsAt = 0,
  }
end

-- All but the epoch is as new while there is no pause, and then the epoch alone is written.
function record.save(pause)
  if not pause.active then return { pause.epoch } end
  return {
    pause.epoch, pause.untilUs, pause.step, pause.beganAt, pause.hinted, pause.tested, pause.probe or false,
    pause.probeEndsAt,
  }
end

function record.load(saved)
  local pause = record.new()
  pause.epoch = saved[1]
  if saved[2] == nil then return pause end
  pause.active, pause.untilUs, pause.step, pause.beganAt = true, saved[2], saved[3], saved[4]
  pause.hinted, pause.tested, pause.probe, pause.probeEndsAt = saved[5], saved[6], saved[7] or nil, saved[8]
  return pause
end

return record
