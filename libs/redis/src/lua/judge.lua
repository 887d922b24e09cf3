-- Twin of memory/judge.ts: rule by rule, when a head can start. It changes nothing but what is parked.
local State = require('state')
local book = require('books/book')
local chargeOf = require('layout').chargeOf

local FALLBACK_US = book.FALLBACK_US

-- What was found for one head. Written anew by each judgement; a stage is nil, and so is the number of a limit, where there
-- is none.
local verdict = { moment = 0, cause = 'line', certain = 0, alone = false }

local Judge = { verdict = verdict }

function Judge.later(stage, moment, certain, cause, limit)
  if certain > verdict.certain then verdict.certain = certain end
  if moment <= verdict.moment then return end
  verdict.moment = moment
  verdict.by = stage
  verdict.cause = cause
  verdict.limit = limit
  verdict.alone = false
end

local later = Judge.later

local function judgeStage(plan, index, waiter, head, now)
  local stage = plan.stages[index]
  local pause = stage.pause
  local start = now
  if pause.active then
    if pause.untilUs > now then
      start = pause.untilUs
      later(stage, start, start, 'pause', nil)
      verdict.alone = true
    elseif require('pause').probeDue(pause, now) then
      require('hindrance').makeWay(stage, waiter, plan.lane, head, now, 'probe')
    elseif pause.tested then
      later(stage, require('hindrance').probeBack(pause.probeEndsAt, now), now, 'probe', nil)
    end
  end
  local positions = plan.refs[index][3]
  local crowd = waiter ~= nil and stage.line.size > 0
  local amounts
  local due = false
  if crowd then
    local Owed = require('owed')
    amounts = Owed.amounts
    Owed.gather(stage, index, waiter, now)
    if stage.whole and State.claims then due = State.claims:adjust(Owed, stage, waiter, now) end
  end
  for j, account in ipairs(stage.books) do
    local cost = chargeOf(head, positions[j])
    local owed = amounts and amounts[j] or 0
    local lane = plan.lane
    if due then lane = State.claims.laneFor(account, lane, true) end
    local moment = account:moment(now, start, lane, owed, cost)
    if moment > now and not (crowd and require('hindrance').ownReserve(account, j, plan.lane, now, start, cost)) then
      require('hindrance').explain(stage, account, lane, owed, cost, now, start, moment)
    end
  end
  if crowd and stage.whole and State.claims then require('hindrance').guaranteed(stage, waiter, now) end
end

-- Judges by the partitions of a plan, the whole provider left out.
function Judge.partitions(plan, waiter, head, now)
  verdict.moment = now
  verdict.certain = now
  verdict.by = nil
  verdict.limit = nil
  verdict.yieldsTo = nil
  for i = 1, #plan.refs - 1 do judgeStage(plan, i, waiter, head, now) end
  return verdict.moment
end

-- Judges by the whole provider, after the partitions let it pass.
function Judge.whole(plan, waiter, head, now)
  local breaker = State.breaker
  local last = #plan.refs
  judgeStage(plan, last, waiter, head, now)
  if not breaker then return verdict.moment end
  local stage = plan.stages[last]
  if breaker.state == 'open' then
    if breaker.openUntil > now then
      later(stage, breaker.openUntil, breaker.openUntil, 'breaker', nil)
    elseif breaker.probe then
      later(stage, require('hindrance').probeBack(breaker.probeEndsAt, now), now, 'breaker', nil)
    else
      require('hindrance').makeWay(stage, waiter, plan.lane, head, now, 'breaker')
    end
  elseif breaker:rampFull() then
    later(stage, now + (State.backlog and book.BACKLOG_US or FALLBACK_US), now, 'breaker', nil)
  end
  return verdict.moment
end

return Judge
