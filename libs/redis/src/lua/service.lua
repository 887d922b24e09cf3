-- Twin of memory/service.ts: the service of one ask in one step.
local BareRetries = require('bare-retries')
local Judge = require('judge')
local outlook = require('outlook')
local Line = require('line')
local Lines = require('lines')
local Pause = require('pause')
local Plans = require('plans')
local Presence = require('presence')
local State = require('state')
local Waiters = require('waiters')
local bounds = require('bounds')
local grant = require('grant')
local waiting = require('waiting')

local QUANTUM, UNCONTENDED, HINT_US = bounds.QUANTUM, bounds.UNCONTENDED, waiting.HINT_US
local verdict = Judge.verdict

local Service = {}
Service.__index = Service

-- Calls that wait for a provider that is down: a retry that finds no room in the budget waits for it too.
local function retriesWait()
  return State.breaker ~= nil and not State.breaker:refuses()
end

-- Where a probe is wanted, a call that may be repeated goes before a bare write.
local function probeFirst(plan, heads, now)
  if #heads < 2 then return heads end
  local wanted = State.breaker ~= nil and State.breaker:probeDue(now)
  for _, stage in ipairs(plan.stages) do wanted = wanted or Pause.probeDue(stage.pause, now) end
  if not wanted then return heads end
  for i, head in ipairs(heads) do
    if head.safety ~= 'unkeyed' then
      local ordered = { head }
      for j, other in ipairs(heads) do
        if j ~= i then ordered[#ordered + 1] = other end
      end
      return ordered
    end
  end
  return heads
end

-- What would have become of an observed call.
local function shadowOf(plan, head, now)
  local budget = State.budget
  if head.kind == 'retry' and budget and not budget:admits(now, head.place) then return { cause = 'budget' } end
  Judge.partitions(plan, nil, head, now)
  local moment = Judge.whole(plan, nil, head, now)
  if moment <= now then return nil end
  return { cause = verdict.cause, limit = verdict.limit, waitUs = moment ~= math.huge and moment - now or nil }
end

function Service.new(ask, now, waiter)
  local plan = waiter and waiter.plan or Plans.of(ask.ticket, now)
  return setmetatable({
    plan = plan, ask = ask, now = now, waiter = waiter, left = ask.waiting, granted = 0,
    most = waiter and QUANTUM or UNCONTENDED,
    heads = probeFirst(plan, ask.heads, now),
    -- Retries that do not fit the budget yet, and wait until they do: they hold a place, or the contract lets calls wait.
    held = {},
  }, Service)
end

function Service:run()
  local heads = self.heads
  local i = 1
  while i <= #heads and self.granted < self.most do
    if not self:one(heads[i], i) then break end
    i = i + 1
    if not self.waiter and self.granted > 0 and heads[i] then i = i + self:alike(i) end
  end
  self:rest(i)
end

-- How many from number `i` on have been granted with the one before.
function Service:alike(i)
  local ticket = self.ask.ticket
  -- It was not granted as plainly.
  if State.grantedTo ~= ticket then return 0 end
  local count = require('alike')(ticket, self.plan, self.heads, i, self.most - self.granted, self.now)
  self.granted = self.granted + count
  self.left = self.left - count
  return count
end

-- False = this head has to wait, and those behind it.
function Service:one(head, index)
  local now, breaker, budget = self.now, State.breaker, State.budget
  if head.observe then
    self:grant(head, index, shadowOf(self.plan, head, now))
    return true
  end
  if breaker and breaker.state == 'open' and breaker:refuses() and not breaker:probeDue(now) then
    self:deny(head, 'circuit-open', breaker.openUntil > now and breaker.openUntil, nil)
    return true
  end
  if head.kind == 'retry' and budget and not budget:admits(now, head.place) then
    if budget:holds(now, head.place) or retriesWait() then
      self.held[#self.held + 1] = head
    else
      self:deny(head, 'budget', budget:retryAt(now), nil)
    end
    return true
  end
  return self:judged(head, index)
end

function Service:judged(head, index)
  local now, plan, waiter = self.now, self.plan, self.waiter
  if waiter then
    waiter.heads = self.heads
    waiter.head = index
    waiter.aside = false
    waiter.by = -1
  end
  if Judge.partitions(plan, waiter, head, now) <= now then
    if waiter then
      Lines.enter(waiter, #plan.refs)
      waiter.eligible = outlook.eligible(plan, self.left, head, now)
    end
    if Judge.whole(plan, waiter, head, now) <= now then
      self:grant(head, index, nil)
      return true
    end
  end
  if verdict.moment ~= math.huge and not outlook.never(plan, head, now) then return false end
  self:deny(head, 'never-admissible', nil, verdict.limit)
  return true
end

function Service:grant(head, index, shadow)
  local waiter, plan = self.waiter, self.plan
  grant.to(self.ask.ticket, plan, head, self.now, shadow)
  self.granted = self.granted + 1
  self.left = self.left - 1
  if not waiter then return end
  waiter.calls = self.left
  waiter.head = index + 1
  local next = self.heads[index + 1]
  if next then waiter.arrived = self.now - next.waitedUs end
  for i, entry in ipairs(waiter.entries) do
    if entry.state ~= 'out' then
      Line.leave(plan.stages[i], entry, true)
      if self.left > 0 then Lines.enter(waiter, i) end
    end
  end
end

function Service:deny(head, reason, retryAtUs, limit)
  self.left = self.left - 1
  State.denials[#State.denials + 1] = { self.ask.ticket[1], head.id, reason, retryAtUs or false, limit or false }
end

-- What becomes of the calls that were not granted.
function Service:rest(index)
  local now, budget = self.now, State.budget
  if self.left <= 0 then
    if self.waiter then Lines.drop(self.waiter) end
    return
  end
  local blocked = self.heads[index]
  -- All that it showed is served, and nobody else waits: it asks for the rest at once, and needs no place for it.
  if not self.waiter and not blocked and #self.held == 0 then return end
  local waiter = self.waiter or self:register()
  waiter.calls = self.left
  local heads = {}
  for i = index, #self.heads do heads[#heads + 1] = self.heads[i] end
  for _, head in ipairs(self.held) do heads[#heads + 1] = head end
  waiter.heads = heads
  waiter.head = 1
  local first = waiter:current()
  if first then Presence.headCame(waiter, now - first.waitedUs) end
  if blocked and self.granted < self.most then
    self:hold(waiter, blocked)
  elseif #self.held > 0 and self.granted < self.most then
    waiting.putAside(waiter, now)
  else
    waiting.stand(waiter, self.plan, nil, now)
  end
  if retriesWait() then BareRetries.note(waiter, budget, now) end
  if #self.held > 0 and not waiter.aside and budget then
    waiter.pollAt = math.min(waiter.pollAt, budget:retryAt(now))
  end
end

function Service:hold(waiter, head)
  local now, other = self.now, verdict.yieldsTo
  if other and other.pollAt > now + HINT_US then
    other.pollAt = now + HINT_US
    other.changed = true
    require('calls').one(other)
  end
  if verdict.by and verdict.by.whole then
    waiting.stand(waiter, self.plan, head, now)
  else
    waiting.sleep(waiter, self.plan, head, now)
  end
end

function Service:register()
  local now, ask = self.now, self.ask
  local ticket = ask.ticket
  local waiter = Waiters.new(State.processId, ticket[1], self.plan, ticket[4], now)
  Waiters.remember(waiter)
  waiter.heads = self.heads
  waiter.calls = self.left
  waiter.arrived = now - (self.heads[1] and self.heads[1].waitedUs or 0)
  waiter.newest = now - ask.newestWaitedUs
  waiter.safe = ask.isSafe
  for i = 1, #waiter.entries - 1 do Lines.enter(waiter, i) end
  return waiter
end

return Service
