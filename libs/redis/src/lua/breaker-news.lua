-- The part of memory/settle.ts that tells the breaker how an attempt ended.
local State = require('state')
local Stages = require('stages')

local news = {}

local function opened()
  State.change('breaker-opened', State.breaker.openUntil)
end

function news.probeEnded(settle, now)
  local breaker = State.breaker
  if settle.health == 'failure' and not settle.refusal then
    breaker:open(now, State.seq)
    opened()
  elseif settle.ended == 'answered' then
    breaker:close(State.seq)
    State.change('breaker-closed')
    require('calls').all(Stages.whole())
  else
    breaker:loseProbe()
  end
end

function news.learn(settle, seq, now)
  local breaker = State.breaker
  if settle.health == 'none' or settle.refusal then return end
  if not breaker:learn(now, seq, settle.health, State.seq) then return end
  opened()
  if breaker:refuses() then require('calls').all(Stages.whole()) end
end

return news
