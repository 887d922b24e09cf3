-- The part of memory/judge.ts that looks beyond the verdict: how many calls would pass, and what is certain for one that waits.
local Judge = require('judge')
local Pause = require('pause')
local Plans = require('plans')
local State = require('state')
local bounds = require('bounds')
local chargeOf = require('layout').chargeOf

local QUANTUM, HUGE = bounds.QUANTUM, math.huge
local verdict = Judge.verdict

local outlook = {}

-- Adds what the whole provider certainly holds up to a verdict of the partitions.
function outlook.certainOfWhole(plan, head, now)
  local breaker = State.breaker
  local last = #plan.refs
  local stage = plan.stages[last]
  local positions = plan.refs[last][3]
  local start = stage.pause.active and stage.pause.untilUs > now and stage.pause.untilUs or now
  local certain = start
  if breaker and breaker.state == 'open' and breaker.openUntil > certain then certain = breaker.openUntil end
  local claims = State.claims
  local guaranteed = claims ~= nil and claims:of(plan.lane)
  for j, account in ipairs(stage.books) do
    if account.certain then
      local lane = guaranteed and claims.laneFor(account, plan.lane, true) or plan.lane
      local moment = account:moment(now, start, lane, 0, chargeOf(head, positions[j]))
      if moment > certain then certain = moment end
    end
  end
  if certain > verdict.certain then verdict.certain = certain end
  if certain > verdict.moment then verdict.moment = certain end
end

-- Whether the whole provider can never admit it, which one that a partition holds up would not find out otherwise.
function outlook.never(plan, head, now)
  if verdict.by and verdict.by.whole then return false end
  local last = #plan.refs
  local positions = plan.refs[last][3]
  for j, account in ipairs(plan.stages[last].books) do
    if account:moment(now, now, plan.lane, 0, chargeOf(head, positions[j])) == HUGE then
      verdict.limit = account.limit >= 0 and account.limit or nil
      return true
    end
  end
  return false
end

-- How many calls like `head` one stage of the plan admits now.
function outlook.admittedBy(plan, stage, head, now)
  if Pause.shut(stage.pause, now) then return Pause.probeDue(stage.pause, now) and 1 or 0 end
  local positions = Plans.positionsIn(plan, stage)
  local admitted = QUANTUM
  for j, account in ipairs(stage.books) do
    admitted = math.min(admitted, account:admits(now, plan.lane, chargeOf(head, positions[j])))
  end
  return admitted
end

-- How many of the waiter's calls its partitions admit now.
function outlook.eligible(plan, calls, head, now)
  local admitted = math.min(calls, QUANTUM)
  for i = 1, #plan.refs - 1 do
    admitted = math.min(admitted, outlook.admittedBy(plan, plan.stages[i], head, now))
  end
  return admitted
end

-- How many of its calls the other partitions admit now, of one that a partition holds up: one at least, for it stands there.
function outlook.beside(plan, by, head, now)
  local admitted = QUANTUM
  for i = 1, #plan.refs - 1 do
    local stage = plan.stages[i]
    if stage ~= by then admitted = math.min(admitted, outlook.admittedBy(plan, stage, head, now)) end
  end
  return admitted == QUANTUM and bounds.ALL or math.max(1, admitted)
end

return outlook
