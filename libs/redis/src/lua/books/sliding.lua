-- Twin of books/sliding.ts: at most `capacity` in any window, by a log of the last window and the guard.
local book = require('books/book')
local ChargeLog = require('books/charge-log')
local givenBack = require('books/given-back')

local EPSILON = book.EPSILON
local max, min, ceil, floor, HUGE = math.max, math.min, math.ceil, math.floor, math.huge

local Sliding = { cause = 'window', certain = true }
Sliding.__index = Sliding

-- `log`: a name that no other account has.
function Sliding.load(saved, _, log)
  return setmetatable({
    limit = -1,
    shutUntil = saved and saved[2] or 0,
    -- Use by others that the provider told of.
    foreign = saved and saved[3] or 0,
    foreignUntil = saved and saved[4] or 0,
    -- The last of it that is over.
    lapsedForeign = saved and saved[5] or 0,
    lapsedForeignUntil = saved and saved[6] or 0,
    givenBack = saved and saved[7] or '',
    log = ChargeLog.load(log, saved, 8),
    changed = saved == nil,
  }, Sliding)
end

function Sliding:save()
  return {
    'sliding', self.shutUntil, self.foreign, self.foreignUntil, self.lapsedForeign, self.lapsedForeignUntil, self.givenBack,
    self.log:save(),
  }
end

function Sliding:configure(settings)
  self.limit = settings.limit
  self.capacity = settings.capacity
  self.span = settings.spanUs
end

function Sliding:advance(now)
  if self.log:forget(now - self.span, self.span) then self.changed = true end
  if self.foreign > 0 and now >= self.foreignUntil then
    self.lapsedForeign, self.lapsedForeignUntil = self.foreign, self.foreignUntil
    self.foreign = 0
    self.changed = true
  end
end

function Sliding:moment(now, start, lane, owed, cost)
  if cost == 0 then return start end
  if cost > self.capacity + EPSILON then return HUGE end
  if self.shutUntil > start then return self:moment(now, self.shutUntil, lane, owed, cost) end
  self:advance(now)
  local need = self.log.total + self.foreign + owed + cost - self.capacity
  if need <= EPSILON then return start end
  return max(self:leavesAt(now, need), start)
end

-- When so much has left the window.
function Sliding:leavesAt(now, need)
  local log, span = self.log, self.span
  local at, foreign = now, self.foreign
  for i = 0, log:length() - 1 do
    if need <= EPSILON then break end
    local _, time, cost = log:at(i)
    local leaves = time + span
    if foreign > 0 and self.foreignUntil <= leaves then
      need = need - foreign
      at = self.foreignUntil
      foreign = 0
      if need <= EPSILON then break end
    end
    need = need - cost
    at = leaves
  end
  if need > EPSILON and foreign > 0 then
    need = need - foreign
    at = max(self.foreignUntil, at)
  end
  -- More is owed than a window holds: those in front fill whole windows first.
  if need > EPSILON then at = at + span * ceil(need / self.capacity) end
  return at
end

function Sliding:admits(now, _, cost)
  if cost == 0 then return HUGE end
  if self.shutUntil > now then return 0 end
  self:advance(now)
  local free = self.capacity - self.log.total - self.foreign
  return free < 0 and 0 or floor((free + EPSILON) / cost)
end

function Sliding:place(now, moment, cost)
  local log, span = self.log, self.span
  if moment - now >= span then return 0 end
  self:advance(now)
  local left = cost - (self.foreignUntil <= moment and self.foreign or 0)
  for i = 0, log:length() - 1 do
    if left <= 0 then break end
    local _, time, there = log:at(i)
    if time + span > moment then break end
    left = left - there
  end
  return left > 0 and left or 0
end

function Sliding:charge(now, _, cost)
  if cost <= 0 then return end
  self.log:add(now, cost, self.span)
  self.changed = true
end

function Sliding:refund(_, _, cost, grantedAt)
  self.log:takeBack(grantedAt, cost)
  self.changed = true
end

Sliding.correct = book.correct

-- What a refusal says of a window is when to come again: the pause holds that.
function Sliding:empty() end

function Sliding:longestResetUs()
  return self.span
end

-- What has left the window since `moment`: a provider that was asked then has counted it still.
function Sliding:lapsedSince(now, moment)
  local foreign = self.lapsedForeignUntil > moment and self.lapsedForeign or 0
  return foreign + self.log:lapsedAfter(max(moment, now - self.span) - self.span)
end

function Sliding:lower(now, remaining, later, resetInUs, grantedAt, laterFrom)
  self:advance(now)
  local gone = self:lapsedSince(now, grantedAt) + givenBack.since(self.givenBack, grantedAt, laterFrom)
  local more = self.capacity - self.log.total - self.foreign - gone - (remaining - later)
  if more <= EPSILON then return false end
  self.foreign = self.foreign + more
  self.foreignUntil = max(now + (resetInUs and min(resetInUs, self.span) or self.span), self.foreignUntil)
  self.changed = true
  return true
end

function Sliding:used(now)
  self:advance(now)
  return self.log.total + self.foreign
end

function Sliding:idleAt(now)
  self:advance(now)
  local length = self.log:length()
  local last = now
  if length > 0 then
    local _, time = self.log:at(length - 1)
    last = time + self.span
  end
  return max(last, self.foreign > 0 and self.foreignUntil or 0, self.shutUntil)
end

-- Its account is not counted any more: nothing of it stays behind.
function Sliding:forget()
  self.log:clear()
end

return Sliding
