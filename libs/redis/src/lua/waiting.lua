-- Twin of memory/waiting.ts: how a ticket that was not granted waits: where it stands, and when its process must ask again.
local Judge = require('judge')
local outlook = require('outlook')
local Line = require('line')
local Lines = require('lines')
local State = require('state')
local Waiters = require('waiters')
local bounds = require('bounds')
local chargeOf = require('layout').chargeOf

local max, min = math.max, math.min
local verdict = Judge.verdict

-- Within this a hinted ticket is expected.
local HINT_US = 5000

local MAX_SLEEP_US = 5000000
-- Where a limit holds less than two calls, the place of a dead process is noticed this soon.
local SHORT_SLEEP_US = 1000000
-- One whom nobody stands in front of need not look in between.
local LONG_SLEEP_US = 30000000
-- A ticket that is not asked for again is forgotten this long after it was due.
local KEPT_US = 15000000

local waiting = { HINT_US = HINT_US }

local function poll(waiter, now, pollAt)
  waiter.pollAt = pollAt
  waiter.changed = true
  Waiters.dueAt(waiter, max(pollAt, now) + KEPT_US)
  local certain = verdict.certain < waiter.moment and verdict.certain or max(waiter.moment, verdict.certain)
  State.waits[#State.waits + 1] = {
    waiter.key, pollAt, waiter.cause, verdict.limit or false, max(waiter.moment, certain), certain,
  }
end

local function longestSleep(plan, head)
  local last = #plan.refs
  local positions = plan.refs[last][3]
  for j, account in ipairs(plan.stages[last].books) do
    if account.certain and account.capacity < 2 * chargeOf(head, positions[j]) then return SHORT_SLEEP_US end
  end
  return MAX_SLEEP_US
end

local function leaveWhole(waiter, plan)
  local last = #plan.refs
  Line.leave(plan.stages[last], waiter.entries[last], false)
end

-- It stands in the line of the whole provider. `head` nil = it got all a step gives, and asks again at once.
function waiting.stand(waiter, plan, head, now)
  Lines.enter(waiter, #plan.refs)
  waiter.aside = false
  if head == nil then
    local next = waiter:current()
    waiter.by = -1
    waiter.cause = 'line'
    waiter.moment = now
    waiter.eligible = next and outlook.eligible(plan, waiter.calls, next, now) or min(waiter.calls, bounds.QUANTUM)
    verdict.limit = nil
    verdict.certain = now
    return poll(waiter, now, now)
  end
  waiter.by = verdict.by and verdict.by.no or -1
  waiter.cause = verdict.cause
  waiter.moment = verdict.moment
  waiter.eligible = outlook.eligible(plan, waiter.calls, head, now)
  poll(waiter, now, min(verdict.moment, now + longestSleep(plan, head)))
end

-- A partition holds it up: it stands in the lines of its partitions only, so that the whole provider waits for nobody.
function waiting.sleep(waiter, plan, head, now)
  leaveWhole(waiter, plan)
  waiter.aside = false
  waiter.by = verdict.by and verdict.by.no or -1
  waiter.cause = verdict.cause
  waiter.eligible = outlook.beside(plan, verdict.by, head, now)
  local alone, moment = verdict.alone, verdict.moment
  outlook.certainOfWhole(plan, head, now)
  waiter.moment = moment
  poll(waiter, now, min(moment, now + (alone and LONG_SLEEP_US or longestSleep(plan, head))))
end

-- Only retries are left, and the budget holds them up: nothing is owed to them, and while the breaker is open they need not
-- look.
function waiting.putAside(waiter, now)
  local breaker = State.breaker
  local closedUntil = breaker and breaker.state == 'open' and breaker.openUntil or now
  leaveWhole(waiter, waiter.plan)
  waiter.aside = true
  waiter.by = -1
  waiter.cause = 'budget'
  waiter.moment = max(State.budget and State.budget:retryAt(now) or now, closedUntil)
  verdict.limit = nil
  verdict.certain = max(now, closedUntil)
  poll(waiter, now, waiter.moment)
end

return waiting
