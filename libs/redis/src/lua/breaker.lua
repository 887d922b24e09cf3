-- Twin of memory/breaker.ts: the circuit breaker of a provider, what to do about failures, whoever's call met them.
local floor = math.floor

local SLICES = 10

-- A ramp that lets so many through at once has done its work.
local RAMP_END = 1024

local Breaker = {}
Breaker.__index = Breaker

-- `settings`: { consecutiveFailures, failureRate = { share, minVolume, perUs }, probeEveryUs, refuses }; what is not set is nil or
-- false. `refuses`: so do we while it is open, rather than wait.
function Breaker.load(saved, settings)
  local breaker = setmetatable({ settings = settings, changed = saved == nil }, Breaker)
  if saved == nil then
    breaker.state, breaker.openUntil, breaker.epoch, breaker.consecutive = 'closed', 0, 0, 0
    breaker.ramp, breaker.rampActive, breaker.rampAnswered, breaker.probeEndsAt = 0, 0, 0, 0
    return breaker
  end
  breaker.state, breaker.openUntil = saved[1], saved[2]
  -- Sequence number of the attempt that tests the water, and when its lease expires; nil = nobody does.
  breaker.probe, breaker.probeEndsAt = saved[3] or nil, saved[4]
  -- Attempts granted up to here belong to an older epoch: their results say nothing about this one.
  breaker.epoch = saved[5]
  breaker.consecutive = saved[6]
  -- Attempts that may be under way after it closed; 0 = no ramp.
  breaker.ramp, breaker.rampActive, breaker.rampAnswered = saved[7], saved[8], saved[9]
  -- Three numbers a slice of the window: which one, failures and outcomes. nil = none was counted.
  breaker.slices = saved[10] or nil
  return breaker
end

function Breaker:save()
  return {
    self.state, self.openUntil, self.probe or false, self.probeEndsAt, self.epoch, self.consecutive, self.ramp,
    self.rampActive, self.rampAnswered, self.slices or false,
  }
end

function Breaker:refuses()
  return self.settings.refuses
end

function Breaker:probeDue(now)
  return self.state == 'open' and now >= self.openUntil and self.probe == nil
end

function Breaker:rampFull()
  return self.ramp > 0 and self.rampActive >= self.ramp
end

-- The probe is out: the attempt of that lease is.
function Breaker:probeWith(lease)
  self.probe, self.probeEndsAt = lease.seq, lease.due
  self.changed = true
end

-- Nobody tests the water any more.
function Breaker:loseProbe()
  self.probe = nil
  self.changed = true
end

function Breaker:granted(lease)
  if self.state == 'open' then
    if lease.probe and self.probe == nil then self:probeWith(lease) end
  elseif self.ramp > 0 then
    self.rampActive = self.rampActive + 1
    self.changed = true
  end
end

-- A lease ended, by settling or expiry. `round` = an answer came.
function Breaker:ended(lease, round)
  if self.ramp == 0 or self.state == 'open' or lease.seq <= self.epoch then return end
  self.changed = true
  self.rampActive = self.rampActive - 1
  if not round then return end
  self.rampAnswered = self.rampAnswered + 1
  if self.rampAnswered < self.ramp then return end
  self.rampAnswered = 0
  self.ramp = self.ramp * 2
  if self.ramp > RAMP_END then self.ramp = 0 end
end

-- What an attempt tells, 'alive' or 'failure'. True = that opened it.
function Breaker:learn(now, seq, health, nowSeq)
  if self.state == 'open' or seq <= self.epoch then return false end
  self:count(now, health == 'failure' and 1 or 0)
  local consecutive = health == 'failure' and self.consecutive + 1 or 0
  if consecutive ~= self.consecutive then self.changed = true end
  self.consecutive = consecutive
  if health == 'alive' or not self:tooMany(now) then return false end
  self:open(now, nowSeq)
  return true
end

function Breaker:open(now, nowSeq)
  self.state = 'open'
  self.openUntil = now + self.settings.probeEveryUs
  self.epoch = nowSeq
  self:loseProbe()
  self:forget()
end

function Breaker:close(nowSeq)
  self.state = 'closed'
  self.epoch = nowSeq
  self.ramp = 1
  self.rampActive = 0
  self.rampAnswered = 0
  self:loseProbe()
  self:forget()
end

function Breaker:forget()
  self.consecutive = 0
  self.slices = nil
end

local function sliceOf(now, rate)
  return floor(now / (rate.perUs / SLICES))
end

function Breaker:count(now, failed)
  local rate = self.settings.failureRate
  if not rate then return end
  if not self.slices then
    self.slices = {}
    for i = 1, 3 * SLICES do self.slices[i] = 0 end
  end
  local slices = self.slices
  local slice = sliceOf(now, rate)
  local at = 3 * (slice % SLICES) + 1
  if slices[at] ~= slice then slices[at], slices[at + 1], slices[at + 2] = slice, 0, 0 end
  slices[at + 1] = slices[at + 1] + failed
  slices[at + 2] = slices[at + 2] + 1
  self.changed = true
end

function Breaker:tooMany(now)
  local settings = self.settings
  if settings.consecutiveFailures and self.consecutive >= settings.consecutiveFailures then return true end
  local rate = settings.failureRate
  if not rate then return false end
  local newest = sliceOf(now, rate)
  local failures, outcomes = 0, 0
  for at = 1, 3 * SLICES, 3 do
    if self.slices[at] > newest - SLICES then
      failures = failures + self.slices[at + 1]
      outcomes = outcomes + self.slices[at + 2]
    end
  end
  return outcomes >= rate.minVolume and failures >= rate.share * outcomes
end

return Breaker
