-- The methods of a bucket that most steps do without: its numbers, what is given back and corrected, and what lines ask of it.
local book = require('books/book')
local reserves = require('books/reserves')
local charges = require('books/charges')
local lows = require('books/lows')
local givenBack = require('books/given-back')

local EPSILON = book.EPSILON
local max, min, floor = math.max, math.min, math.floor

local Rest = {}

function Rest:takeNumbers(dearest, equal)
  self.capacity, self.rate, self.serial =
    require('guard').guardBucket(self.burst, self.fullRate, self.guardUs, dearest, equal)
end

function Rest:settleNumbers()
  local capacity, rate = self.capacity, self.rate
  self:takeNumbers(self.dearest, self.equal)
  self.changed = true
  local changed = capacity ~= self.capacity or rate ~= self.rate
  if changed then self:forget() end
  if not changed or not self.charged or self:rested() then return end
  self.lows = lows.note(self.lows, self.at, self.level)
  self.level = self.level + require('guard').guardDebt(self.burst, self.fullRate, self.guardUs, self.capacity)
end

-- From now on another rate applies.
function Rest:forget()
  self.charges, self.chargedAt = '', -1
end

-- What was charged has drained, and the latest of it has arrived: no interval with any of it lies across this moment.
function Rest:rested()
  return self.level == 0 and self.at >= self.emptySince + self.guardUs
end

function Rest:learn(now, need, equal)
  self:advance(now)
  self.equal = self.equal and equal and (self.dearest == 0 or need == self.dearest)
  if need > self.dearest then self.dearest = need end
  self:settleNumbers()
end

-- No dear call has come for as long as its trace lasts: the ordinary numbers hold again.
function Rest:relax()
  self:forget()
  self.dearUntil = 0
  self.dearest = 0
  self.equal = true
  self:takeNumbers(0, true)
end

function Rest:ownLeft(now, lane)
  local reserve = self.reserves[lane + 1] or 0
  if reserve == 0 or self.serial then return 0 end
  self:advance(now)
  if self.taken then return reserve - self.taken[lane + 1] end
  return min(reserve, self.capacity - self.level)
end

function Rest:admits(now, lane, cost)
  if cost == 0 then return math.huge end
  if self.shutUntil > now then return 0 end
  self:advance(now)
  if self.serial then return self.level <= EPSILON and 1 or 0 end
  local free = self.capacity - (self.reserved[lane + 1] or 0) + self:lent(lane) - self.level
  return free < 0 and 0 or floor((free + EPSILON) / cost)
end

function Rest:place(now, moment, cost)
  local left = cost - (moment - now) * self.rate
  return left > 0 and left or 0
end

function Rest:take(lane, cost)
  local taken = self.taken
  local left = self.capacity - reserves.sum(self.reserves) - (self.level - reserves.sum(taken))
  local before = taken[lane + 1] or 0
  taken[lane + 1] = before + reserves.fromReserve(cost, left, (self.reserves[lane + 1] or 0) - before)
end

-- It was never sent: the level is as if it had not been charged.
function Rest:refund(now, lane, cost, grantedAt)
  self:advance(now)
  self.changed = true
  -- Both may tell too little, and neither too much: the one of what was charged long ago, the other of many small charges.
  local amount = min(cost, lows.since(self.lows, grantedAt, self.level))
  if grantedAt >= self.since then
    local entries, lower = charges.takeOut(self:remembered(), self.before, now, grantedAt, cost, self.level, self.rate)
    self.charges = entries
    amount = max(lower, amount)
  end
  self:credit(now, lane, amount)
  self.lows = lows.takeOut(self.lows, grantedAt, amount, self.level)
end

-- What it did not cost is as if it had not been charged; what it cost more is charged now.
function Rest:correct(now, lane, extra, grantedAt)
  self.changed = true
  if extra < 0 then
    self:refund(now, lane, -extra, grantedAt)
    self.givenBack = givenBack.note(self.givenBack, now, -extra, grantedAt)
  else
    self:advance(now)
    self:raise(now, self.level + extra)
  end
end

function Rest:credit(now, lane, amount)
  if amount <= 0 then return end
  self.changed = true
  local taken = self.taken
  if taken then taken[lane + 1] = max(0, (taken[lane + 1] or 0) - amount) end
  if self.level > 0 and self.level <= amount then self.emptySince = now end
  self.level = self.level > amount and self.level - amount or 0
end

function Rest:empty(now)
  self:advance(now)
  self.changed = true
  if self.level < self.capacity then self:raise(now, self.capacity) end
end

function Rest:longestResetUs()
  return self.burst / self.fullRate
end

-- Told as the answer leaves, the figure may hold calls that are under way: more than the burst is never used.
function Rest:lower(now, remaining, later, _, grantedAt, laterFrom)
  self:advance(now)
  local told = self.burst - remaining + later - givenBack.since(self.givenBack, grantedAt, laterFrom)
  local level = told < self.burst and told or self.burst
  if level <= self.level + EPSILON then return false end
  self:raise(now, level)
  self.changed = true
  return true
end

function Rest:used(now)
  self:advance(now)
  return self.level
end

return Rest
