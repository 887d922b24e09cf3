-- The part of memory/serve.ts that judges several tickets, best first.
local Presence = require('presence')
local State = require('state')
local Stages = require('stages')
local serve = require('serve')

-- Where a probe is wanted, bare writes come after all lanes.
local BARE = 1000

local function waited(ask)
  return ask.heads[1] and ask.heads[1].waitedUs or 0
end

-- What many asks need is read at once.
local function prefetch(asks)
  local tickets, stages = {}, {}
  for i, ask in ipairs(asks) do
    tickets[i] = ask.ticket[1]
    for _, crossed in ipairs(ask.ticket[5]) do stages[#stages + 1] = crossed[2] end
  end
  Stages.prefetch(stages)
  if State.waiting > 0 then require('waiters').prefetch(State.processId, tickets) end
end

return function(asks, now)
  prefetch(asks)
  local breaker = State.breaker
  local probing = require('pause').probeDue(Stages.whole().pause, now) or (breaker ~= nil and breaker:probeDue(now))
  for i, ask in ipairs(asks) do
    -- Only writes that must not be repeated are shown.
    ask.order = ask.ticket[2] + (probing and not ask.isSafe and BARE or 0)
    ask.place = i
  end
  table.sort(asks, function(a, b)
    if a.order ~= b.order then return a.order < b.order end
    if waited(a) ~= waited(b) then return waited(a) > waited(b) end
    return a.place < b.place
  end)
  -- All of them stand in line before the first is granted, so that none is overtaken for the order in which it was named.
  for _, ask in ipairs(asks) do
    if ask.waiting > 0 then Presence.present(ask, now, true) else Presence.leave(ask) end
  end
  for _, ask in ipairs(asks) do
    if ask.waiting > 0 then serve.one(ask, now) end
  end
end
