-- Twin of memory/serve.ts: judges what a process asks for, best first.
local Judge = require('judge')
local Plans = require('plans')
local Presence = require('presence')
local State = require('state')
local grant = require('grant')

local serve = {}

-- One call that stands in no line, and nothing holds up: most are. All others are served at length.
local function grantedAtOnce(ask, now)
  local breaker = State.breaker
  local head = ask.heads[1]
  if ask.waiting > 1 or head.observe or (head.kind == 'retry' and State.budget) then return false end
  if breaker and breaker.state == 'open' then return false end
  local plan = Plans.of(ask.ticket, now)
  if Judge.partitions(plan, nil, head, now) > now or Judge.whole(plan, nil, head, now) > now then return false end
  grant.to(ask.ticket, plan, head, now, nil)
  return true
end

function serve.one(ask, now)
  if ask.waiting <= 0 then return Presence.leave(ask) end
  local waiter = Presence.waiterOf(ask.ticket)
  local current = waiter and waiter.pollAt == now and waiter.shownBy == ask
  if not current then waiter = Presence.present(ask, now, false) end
  if not waiter and #ask.heads == 1 and grantedAtOnce(ask, now) then return end
  require('service').new(ask, now, waiter):run()
end

return serve
