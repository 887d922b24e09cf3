-- The methods of a bucket that most steps do without: its numbers, what is given back and corrected, and what lines ask of it.
local book = require('books/book')
local reserves = require('books/reserves')
local recentCharges = require('books/recent-charges')

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
  if changed then self.recent = '' end
  if not changed or not self.charged or self:rested() then return end
  self.level = self.level + require('guard').guardDebt(self.burst, self.fullRate, self.guardUs, self.capacity)
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
  self.recent = ''
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
  local recent, without = recentCharges.without(self:remembered(), self.before, now, grantedAt, cost, self.rate)
  if recent == nil then return self:giveBack(now, lane, cost, grantedAt) end
  self.recent = recent
  self.changed = true
  self:credit(now, lane, self.level - without)
end

function Rest:correct(now, lane, extra, grantedAt)
  self:advance(now)
  if extra < 0 then return self:giveBack(now, lane, -extra, grantedAt) end
  self.recent = ''
  self.level = self.level + extra
  self.changed = true
end

-- What has drained since the grant is free already; it is not given back twice.
function Rest:giveBack(now, lane, cost, grantedAt)
  self.recent = ''
  self.changed = true
  self:credit(now, lane, cost - self.rate * (now - grantedAt))
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
  self.recent = ''
  self.changed = true
  if self.level < self.capacity then self.level = self.capacity end
end

function Rest:longestResetUs()
  return self.burst / self.fullRate
end

function Rest:lower(now, remaining, later)
  self:advance(now)
  local level = self.burst - remaining + later
  if level <= self.level + EPSILON then return false end
  self.recent = ''
  self.level = level
  self.changed = true
  return true
end

function Rest:used(now)
  self:advance(now)
  return self.level
end

return Rest
