-- The part of memory/settle.ts that hears of an attempt whose lease is over.
local Pause = require('pause')
local Plans = require('plans')
local State = require('state')
local refusal = require('refusal')
local stagesOf = require('settle').stagesOf

local late = {}

-- Its lease had expired: nothing is given back a second time. What it says of the provider is heard all the same, by its
-- sequence number.
function late.settled(settle, seq, now)
  if type(seq) ~= 'number' or seq > State.seq then return end
  local plan = Plans.of(settle.ticket, now)
  if settle.refusal then
    refusal.met(plan, settle, seq, nil, now)
  elseif settle.ended == 'answered' then
    local lost = {}
    for _, stage in stagesOf(plan) do
      if refusal.isLostProbe(stage.pause, seq, now) then lost[#lost + 1] = { stage, now - stage.pause.beganAt } end
    end
    for _, one in ipairs(lost) do
      one[1].changed = true
      if Pause.probeAlive(one[1].pause, now, State.seq) then require('pauses').ended(one[1], one[2]) end
    end
  end
  local breaker = State.breaker
  if not breaker then return end
  if breaker.state == 'open' and not breaker.probe and seq > breaker.epoch then
    require('breaker-news').probeEnded(settle, now)
  else
    require('breaker-news').learn(settle, seq, now)
  end
end

return late
