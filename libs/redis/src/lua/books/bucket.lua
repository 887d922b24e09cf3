-- Twin of books/bucket.ts: a token bucket, kept as what is used (`level`), which drains at `rate`.
local book = require('books/book')
local charges = require('books/charges')
local lows = require('books/lows')

local EPSILON, NONE = book.EPSILON, book.NONE
local max, ceil = math.max, math.ceil

local Bucket = { certain = true, renews = true, isPermits = false, takeContradiction = false }
Bucket.__index = Bucket
-- A step makes all functions of a part that it uses: those that most steps do without are made when one is first asked for. So
-- no field of a bucket may be nil.
setmetatable(Bucket, { __index = function(_, name) return require('books/bucket-rest')[name] end })

-- `cause`: 'rate' or 'ceiling'.
function Bucket.load(saved, cause)
  if saved == nil then
    return setmetatable({
      cause = cause, limit = -1, level = 0, at = 0, capacity = 0, rate = 0, serial = false, dearest = 0, equal = true,
      dearUntil = 0, charged = false, emptySince = 0, shutUntil = 0, charges = '', before = 0, since = 0, lows = '', givenBack = '', taken = false,
      chargedAt = -1, chargedNow = 0, changed = true,
    }, Bucket)
  end
  return setmetatable({
    cause = cause, limit = -1, level = saved[2], at = saved[3], capacity = saved[4], rate = saved[5], serial = saved[6],
    -- Dearest call seen, what other lanes keep from it included; and whether all cost the same.
    dearest = saved[7], equal = saved[8],
    -- Until then a call that needs more than B - rJ is expected again.
    dearUntil = saved[9],
    charged = saved[10],
    -- Since when nothing of it is used; a charge ends that.
    emptySince = saved[11],
    shutUntil = saved[12],
    -- What was charged since it was empty, and the level right before the first of that, and its moment.
    charges = saved[13], before = saved[14], since = saved[15],
    -- How low it has been since when; what calls did not cost, and when that was found.
    lows = saved[16], givenBack = saved[17],
    -- What of the level came out of each lane's own reserve; it refills first. false = at most one lane has one.
    taken = saved[18],
    -- What was charged at the present moment is counted apart, until somebody asks; -1 = nothing was.
    chargedAt = -1, chargedNow = 0, changed = false,
  }, Bucket)
end

function Bucket:save()
  return {
    'bucket', self.level, self.at, self.capacity, self.rate, self.serial, self.dearest, self.equal, self.dearUntil,
    self.charged, self.emptySince, self.shutUntil, self:remembered(), self.before, self.since,
    self.lows, self.givenBack, self.taken,
  }
end

function Bucket:configure(settings, same)
  local byLane = settings.reserves or NONE
  self.limit = settings.limit
  self.burst = settings.burst
  self.fullRate = settings.rate
  self.guardUs = settings.guardUs
  self.reserves = byLane
  self.reserved = byLane == NONE and NONE or require('books/reserves').keptForOthers(byLane)
  if same then return end
  self.taken = byLane ~= NONE and require('books/reserves').takenUnder(byLane, self.taken) or false
  self:settleNumbers()
end

function Bucket:advance(now)
  if now <= self.at then return end
  self.changed = true
  local before = self.level
  local drained = (now - self.at) * self.rate
  local level = before - drained
  local taken = self.taken
  if taken then
    for i = 1, #taken do taken[i] = taken[i] > drained and taken[i] - drained or 0 end
  end
  if level <= 0 and before > 0 then self.emptySince = self.at + ceil(before / self.rate) end
  self.level = level > 0 and level or 0
  self.at = now
  if self.dearUntil ~= 0 and now > self.dearUntil then self:relax() end
end

function Bucket:see(now, lane, cost)
  local reserved = self.reserved[lane + 1] or 0
  local need = cost + reserved
  if need > self.dearest or (self.equal and need ~= self.dearest) then self:learn(now, need, reserved == 0) end
  if need > self.burst - self.fullRate * self.guardUs then
    self.dearUntil = now + self.burst / self.fullRate + self.guardUs
    self.changed = true
  end
end

function Bucket:moment(now, start, lane, owed, cost)
  if cost == 0 then return start end
  if cost + (self.reserved[lane + 1] or 0) > self.burst + EPSILON then return math.huge end
  if self.shutUntil > start then return self:moment(now, self.shutUntil, lane, owed, cost) end
  self:see(now, lane, cost)
  self:advance(now)
  local level = self.level
  if start > now then
    level = level - (start - now) * self.rate
    if level < 0 then level = 0 end
  end
  local need
  if self.serial then
    need = level + owed
  else
    need = level + owed + cost - (self.capacity - (self.reserved[lane + 1] or 0))
  end
  if need <= EPSILON or (start == now and need - self:lent(lane) <= EPSILON) then return start end
  return start + ceil((need - EPSILON) / self.rate)
end

-- What others took out of their own reserves is not kept from this lane once more.
function Bucket:lent(lane)
  if not self.taken or self.serial or lane < 0 then return 0 end
  return require('books/reserves').takenByOthers(self.taken, lane)
end

function Bucket:charge(now, lane, cost)
  if cost == 0 then return end
  self:advance(now)
  self.changed = true
  if self.taken then self:take(lane, cost) end
  self.charged = true
  self:raise(now, self.level + (self.serial and cost + self.fullRate * self.guardUs or cost))
end

function Bucket:raise(now, level)
  local cost = level - self.level
  if self.chargedAt == now then
    self.chargedNow = self.chargedNow + cost
  else
    self:begin(now, cost)
  end
  self.level = level
end

-- The first charge of this moment in this step.
function Bucket:begin(now, cost)
  local entries = self:remembered()
  local moment, there = charges.last(entries)
  self.chargedAt = now
  self.lows = lows.note(self.lows, now, self.level)
  if moment == now then
    self.charges, self.chargedNow = charges.withoutLast(entries), there + cost
    return
  end
  self.chargedNow = cost
  if moment == nil or self.level == 0 then self.charges, self.before, self.since = '', self.level, now end
end

-- What was charged, packed.
function Bucket:remembered()
  if self.chargedAt >= 0 then
    self.charges = charges.add(self.charges, self.chargedAt, self.chargedNow)
    self.chargedAt = -1
  end
  return self.charges
end

function Bucket:idleAt()
  local drained = self.level > 0 and self.at + ceil(self.level / self.rate) or self.emptySince
  return max(drained, self.dearUntil, self.shutUntil) + self.guardUs
end

return Bucket
