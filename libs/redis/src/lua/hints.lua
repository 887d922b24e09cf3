-- Twin of memory/hints.ts: tells those who could start now, and do not know it, to ask again. A hint is no permit: a lost
-- one costs time only.
local Line = require('line')
local Pause = require('pause')
local Plans = require('plans')
local State = require('state')
local bounds = require('bounds')
local chargeOf = require('layout').chargeOf

local GRACE_US, QUANTUM = bounds.GRACE_US, bounds.QUANTUM
local HINT_US = require('waiting').HINT_US

local WHOLE_HINTS = 8
local PARTITION_HINTS = 2
local LOOKED_AT = 32

-- One who has come to stand first looks again at the moment it was told when others stood in front: later than this is too
-- late.
local TOO_LATE_US = 100000

-- What one who waits for a permit can be told that it waits for.
local FOR_PERMITS = { concurrency = true, ['tenant-share'] = true, reserve = true, line = true }

local hints = {}

-- Whether anything passes the stage at all.
local function open(stage, now)
  if Pause.shut(stage.pause, now) and not Pause.probeDue(stage.pause, now) then return false end
  local breaker = State.breaker
  if not stage.whole or not breaker then return true end
  if breaker.state == 'open' then return breaker:probeDue(now) end
  return not breaker:rampFull()
end

-- Whether it waits for this stage, and may be told that it can start.
local function waits(stage, waiter, now)
  local here = waiter.by == stage.no or waiter.by == -1
  if now > waiter.pollAt + GRACE_US or waiter.aside or not here then return false end
  return not stage.whole or waiter.eligible > 0
end

-- False = it will ask in time by itself.
local function wake(waiter, now)
  if waiter.pollAt <= now + HINT_US then return false end
  waiter.pollAt = now + HINT_US
  waiter.changed = true
  require('calls').one(waiter)
  return true
end

-- So many of the waiter's calls take their part. `renewed`: of the accounts that renew themselves only.
local function take(stage, waiter, calls, taken, renewed)
  local head = waiter:current()
  if head == nil then return end
  local positions = Plans.positionsIn(waiter.plan, stage)
  for j, account in ipairs(stage.books) do
    if account.renews or not renewed then taken[j] = taken[j] + calls * chargeOf(head, positions[j]) end
  end
end

-- When the waiter's head, which may be `due` a call of its guarantee, fits behind what was taken by those in front.
local function fitsAt(stage, waiter, taken, now, due)
  local head = waiter:current()
  if head == nil then return now end
  local positions = Plans.positionsIn(waiter.plan, stage)
  local moment = now
  for j, account in ipairs(stage.books) do
    local lane = waiter.lane
    if due then lane = State.claims.laneFor(account, lane, true) end
    moment = math.max(moment, account:moment(now, now, lane, taken[j], chargeOf(head, positions[j])))
  end
  return moment
end

-- Whether it fits; where it does, so many of its calls take their part.
local function fits(stage, waiter, calls, taken, now, due)
  if fitsAt(stage, waiter, taken, now, due) > now then return false end
  take(stage, waiter, calls, taken, false)
  return true
end

-- Whether the waiter's head fits into what is left of its lane's reserve, where all else is owed to others; where it does, so
-- many of its calls take their part.
local function fitsReserve(stage, waiter, calls, own, now)
  local head = waiter:current()
  if head == nil then return false end
  local positions = Plans.positionsIn(waiter.plan, stage)
  local any = false
  for _, account in ipairs(stage.books) do any = any or account.ownLeft ~= nil end
  if not any then return false end
  for j, account in ipairs(stage.books) do
    local cost = chargeOf(head, positions[j])
    local left = account.ownLeft and account:ownLeft(now, waiter.lane) or 0
    if own[j] + cost > left or account:moment(now, now, waiter.lane, own[j], cost) > now then return false end
  end
  take(stage, waiter, calls, own, false)
  return true
end

-- It stands first, and does not fit yet: it is told to ask where it would look long after it does.
local function tellFirst(stage, waiter, taken, now)
  local moment = fitsAt(stage, waiter, taken, now, false)
  if waiter.pollAt <= moment + TOO_LATE_US then return end
  waiter.pollAt = moment
  waiter.changed = true
  require('calls').one(waiter)
end

local function hintClaims(stage, taken, due, now)
  local hinted, full = 0, false
  for _, one in ipairs(State.claims:dueIn(stage, now)) do
    local waiter = one.waiter
    if waits(stage, waiter, now) then
      take(stage, waiter, one.calls, due, true)
      if full or not fits(stage, waiter, one.calls, taken, now, true) then
        full = true
      elseif wake(waiter, now) then
        hinted = hinted + 1
      end
    end
  end
  return hinted, full
end

local function nothing(stage)
  local amounts = {}
  for j = 1, #stage.books do amounts[j] = 0 end
  return amounts
end

local function hintStage(stage, now, most)
  if not open(stage, now) then return end
  local taken = nothing(stage)
  -- What is due comes out of the reserves of others, too.
  local due = nothing(stage)
  local hinted, full, seen = 0, false, 0
  if stage.whole and State.claims then hinted, full = hintClaims(stage, taken, due, now) end
  for lane = 0, #stage.line.lanes - 1 do
    local own = {}
    for j = 1, #due do own[j] = due[j] end
    for entry in Line.entries(stage, lane) do
      seen = seen + 1
      if hinted >= most or seen > LOOKED_AT then return end
      local waiter = entry.waiter
      if waits(stage, waiter, now) then
        local bound = (stage.whole or waiter.by == stage.no) and waiter.eligible or QUANTUM
        local calls = math.min(waiter.calls, QUANTUM, bound)
        local passes
        if full then passes = fitsReserve(stage, waiter, calls, own, now) else passes = fits(stage, waiter, calls, taken, now, false) end
        if not passes then
          if not full then tellFirst(stage, waiter, taken, now) end
          full = true
          break
        end
        if wake(waiter, now) then hinted = hinted + 1 end
        if Pause.probeDue(stage.pause, now) then return end
        if stage.whole and State.breaker and State.breaker:probeDue(now) then return end
      end
    end
  end
end

function hints.give(whole, now)
  for _, stage in ipairs(State.freed) do hintStage(stage, now, PARTITION_HINTS) end
  if whole.line.size > 0 then hintStage(whole, now, WHOLE_HINTS) end
end

local function firstForPermit(stage, moment, now)
  local seen = 0
  for lane = 0, #stage.line.lanes - 1 do
    for entry in Line.entries(stage, lane) do
      seen = seen + 1
      if seen > LOOKED_AT then return nil end
      local waiter = entry.waiter
      local late = now > waiter.pollAt + GRACE_US
      if not late and waiter.by == stage.no and FOR_PERMITS[waiter.cause] and waiter.pollAt > moment then
        return waiter
      end
    end
  end
end

-- A permit comes back at `moment`: the first who waits for one, and would look later, is told to ask when.
function hints.announceReturn(stage, moment, now)
  local hasPermits = false
  for _, account in ipairs(stage.books) do hasPermits = hasPermits or account.isPermits end
  local waiter = hasPermits and firstForPermit(stage, moment, now)
  if not waiter then return end
  waiter.pollAt = moment
  waiter.changed = true
  require('calls').one(waiter)
end

return hints
