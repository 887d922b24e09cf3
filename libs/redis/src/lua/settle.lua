-- Twin of memory/settle.ts: books the end of an attempt.
local Leases = require('leases')
local Plans = require('plans')
local State = require('state')
local book = require('books/book')
local layout = require('layout')

local chargeOf, NO_CHARGE = layout.chargeOf, layout.NO_CHARGE

-- A permit that a concurrency limit refused is kept for at least so long: freed at once, the next call would be refused too.
local PENALTY_US = 1000000

local settle = {}

-- The stages of a plan that are in use still, each with its index.
function settle.stagesOf(plan)
  local i = 0
  return function()
    while i < #plan.refs do
      i = i + 1
      local stage = Plans.stage(plan, i)
      if stage then return i, stage end
    end
  end
end

local stagesOf = settle.stagesOf

local function placeFor(settle, now)
  local retry, budget = settle.retry, State.budget
  if not retry then return false end
  -- Without a budget every retry has its place.
  if not budget then return 'unlimited' end
  if require('bare-retries').count > 0 then return false end
  return budget:reserve(now, retry.afterUs + retry.keepUs) or false
end

local function refusedAreFree(account)
  return account.limit >= 0 and State.contract.limits[account.limit + 1].refusedAreFree
end

-- Refunds and corrections.
local function bookEnd(lease, settle, now)
  local plan = lease.plan
  local notSent = settle.ended == 'not-sent'
  if not (notSent or settle.refusal or settle.trueCharges) then return end
  for i, stage in stagesOf(plan) do
    local positions = plan.refs[i][3]
    for j, account in ipairs(stage.books) do
      local at = positions[j]
      local charged = chargeOf(lease, at)
      if at == NO_CHARGE then
        -- It was not there when the lease was granted.
      elseif notSent or (settle.refusal and refusedAreFree(account)) then
        account:refund(now, lease.lane, charged, lease.grantedAt)
      elseif settle.trueCharges and at >= 0 then
        local extra = settle.trueCharges[at + 1] - charged
        if extra ~= 0 then account:correct(now, lease.lane, extra, lease.grantedAt) end
      end
    end
  end
  if notSent and lease.kind ~= 'repeat' and State.budget then State.budget:uncount(now, lease.kind, lease.grantedAt) end
  if notSent or settle.trueCharges then
    for _, stage in stagesOf(plan) do State.free(stage) end
  end
end

-- Its permits come back.
function settle.release(lease)
  Leases.delete(lease)
  Plans.releaseUnknown(lease.plan)
  local permits = Plans.permits(lease.plan)
  if #permits == 0 then return end
  for _, account in ipairs(permits) do account:release(lease.lane) end
  for _, stage in stagesOf(lease.plan) do State.free(stage) end
end

local function refusedForPermits(settle)
  local limit = settle.refusal.limit
  return limit ~= nil and State.contract.limits[limit + 1].kind == 'concurrency'
end

local release = settle.release

-- Gives the permits back, or keeps them while the provider may still be at work.
local function releaseOrHold(lease, settle, now)
  if #Plans.permits(lease.plan) == 0 then return release(lease) end
  local untilUs = now
  if settle.ended == 'no-answer' then
    untilUs = math.min(lease.due, now + Plans.worksAfterUs(lease.plan) + State.contract.guardUs)
  elseif settle.refusal and refusedForPermits(settle) then
    untilUs = now + math.max(settle.refusal.waitUs or 0, PENALTY_US)
  end
  if untilUs <= now then return release(lease) end
  Leases.move(lease, untilUs)
  if untilUs >= now + book.FALLBACK_US then return end
  for _, stage in stagesOf(lease.plan) do require('hints').announceReturn(stage, untilUs, now) end
end

-- Gives what is told of it: its lease, whether that had ended before, and the place asked for; or its lease alone.
function settle.one(settled, id, now)
  local lease = Leases.get(id)
  if lease == nil then
    require('late').settled(settled, id, now)
    return { id, true, placeFor(settled, now) }
  end
  lease.settled = true
  if settled.isPlain and not lease.probe and not State.breaker and #Plans.permits(lease.plan) == 0 then
    release(lease)
    return id
  end
  lease.changed = true
  bookEnd(lease, settled, now)
  local breaker = State.breaker
  local wasBreakerProbe = breaker ~= nil and breaker.probe == lease.seq
  if settled.refusal then require('refusal').met(lease.plan, settled, lease.seq, lease, now) end
  if lease.probe then require('probe').ended(lease, settled, now) end
  if breaker then
    breaker:ended(lease, settled.ended == 'answered')
    local news = require('breaker-news')
    if wasBreakerProbe then news.probeEnded(settled, now) else news.learn(settled, lease.seq, now) end
  end
  for _, seen in ipairs(settled.seen) do require('reconcile')(lease, seen, now) end
  releaseOrHold(lease, settled, now)
  local place = placeFor(settled, now)
  return place and { id, false, place } or id
end

return settle
