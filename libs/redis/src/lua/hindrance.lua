-- The part of memory/judge.ts that says what holds a head up, and by what right it may pass all the same.
local Judge = require('judge')
local State = require('state')
local book = require('books/book')
local bounds = require('bounds')

local EPSILON, FALLBACK_US = book.EPSILON, book.FALLBACK_US
local GRACE_US = bounds.GRACE_US
local HUGE = math.huge
local later, verdict = Judge.later, Judge.verdict

-- One that makes way for a better probe looks again once the better one can only be dead.
local MAKE_WAY_US = 30000

-- What is waited for where those in front have the capacity: it may hold none at this moment, too.
local OWED = { line = true, rate = true, window = true, quota = true, reserve = true }

local hindrance = {}

-- When to look whether a probe that is out was lost, unless a hint comes first.
function hindrance.probeBack(endsAt, now)
  if endsAt >= now + FALLBACK_US then return now + FALLBACK_US end
  return endsAt > now and endsAt or now + book.BACKLOG_US
end

-- The probe goes to the best who waits: calls that may be repeated before bare writes, then by lane.
function hindrance.makeWay(stage, waiter, lane, head, now, cause)
  local Line = require('line')
  local own = (head.safety == 'unkeyed' and 1000 or 0) + lane
  for index = 0, #stage.line.lanes - 1 do
    for i = 1, 32 do
      local entry = Line.at(stage, index, i)
      if entry == nil then break end
      local other = entry.waiter
      local free = other.by == stage.no or other.by == -1
      if other ~= waiter and now <= other.pollAt + GRACE_US and other.calls > 0 and not other.aside and free
          and (other.safe and 0 or 1000) + other.lane < own then
        later(stage, now + MAKE_WAY_US, now, cause, nil)
        verdict.yieldsTo = other
        return
      end
    end
  end
end

-- Nobody knows when a permit comes back, but for those whose lease ends before the fallback.
function hindrance.permitMoment(stage, account, lane, owed, now, start, fallback)
  if fallback == HUGE then return HUGE end
  if State.backlog then return math.max(now + book.BACKLOG_US, start) end
  local back = require('returns').permitsBack(stage, account:missing(lane, owed), now + FALLBACK_US)
  if back >= fallback then return fallback end
  return back > start and back or start
end

-- A guarantee may fall due before what is kept for others is there again.
function hindrance.certainly(stage, account, lane, now, start, cost, bare)
  local claims = State.claims
  if not (stage.whole and claims) then return bare end
  local best = claims.laneFor(account, lane, claims:of(lane))
  if best == lane then return bare end
  return account:moment(now, start, best, 0, cost)
end

function hindrance.explain(stage, account, lane, owed, cost, now, start, promised)
  local moment = promised
  if account.isPermits then moment = hindrance.permitMoment(stage, account, lane, owed, now, start, promised) end
  local bare = owed > 0 and account:moment(now, start, lane, 0, cost) or moment
  local certain = account.certain and hindrance.certainly(stage, account, lane, now, start, cost, bare) or start
  if moment <= start then
    if certain > verdict.certain then verdict.certain = certain end
    return
  end
  local cause = account.cause
  if bare <= start then
    cause = 'line'
  elseif account:moment(now, start, -1, 0, cost) <= start then
    cause = 'reserve'
  end
  later(stage, moment, certain, cause, account.limit >= 0 and account.limit or nil)
  if verdict.moment == moment and verdict.by == stage then
    verdict.alone = owed == 0 and account.certain and not stage.whole
  end
end

-- What a lane has reserved is its own, whatever is owed to better lanes.
function hindrance.ownReserve(account, j, lane, now, start, cost)
  if start > now or account.ownLeft == nil then return false end
  local Owed = require('owed')
  local own = math.max(0, Owed.amounts[j] - Owed.better[j])
  if own + cost > account:ownLeft(now, lane) + EPSILON then return false end
  return account:moment(now, start, lane, own, cost) <= now
end

-- The first of a lane with a guarantee need not wait longer than until a call is due to it.
function hindrance.guaranteed(stage, waiter, now)
  local claims = State.claims
  if verdict.by ~= stage or verdict.moment == math.huge then return end
  if not OWED[verdict.cause] or not claims:leads(stage, waiter, now) then return end
  local own = claims:moment(waiter, now)
  local earliest = own > verdict.certain and own or verdict.certain
  if earliest < verdict.moment then verdict.moment = earliest > now and earliest or now + 1 end
end

return hindrance
