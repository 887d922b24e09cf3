-- Twin of books/fixed.ts: at most `capacity` in each window of fixed length. Where its edges are not known it is counted as a
-- sliding window, which is right wherever they are, until the provider's reset times have shown them.
local book = require('books/book')
local edgeLearner = require('books/edge-learner')
local givenBack = require('books/given-back')
local Sliding = require('books/sliding')
local Windows = require('books/windows')

local EPSILON, RESET_ROUNDING_US = book.EPSILON, book.RESET_ROUNDING_US
local ceil, floor, HUGE = math.ceil, math.floor, math.huge

local Fixed = setmetatable({ isFixed = true }, Sliding)
Fixed.__index = Fixed

-- Saved is what a sliding window saves, and from here on what is its own.
local OWN = 14

function Fixed.load(saved, _, log)
  local fixed = setmetatable(Sliding.load(saved, _, log), Fixed)
  fixed.saved = saved
  fixed.length = saved and saved[OWN] or 0
  fixed.guardUs = saved and saved[OWN + 1] or 0
  fixed.aligned = saved ~= nil and saved[OWN + 2]
  -- 'no', 'now' or 'told': whether resets have shown that the windows are not the clock's.
  fixed.contradicted = saved and saved[OWN + 3] or 'no'
  fixed.learner = { low = saved and saved[OWN + 4] or 0, high = saved and saved[OWN + 5] or HUGE }
  return fixed
end

function Fixed:save()
  local saved = Sliding.save(self)
  saved[1] = 'fixed'
  saved[OWN], saved[OWN + 1], saved[OWN + 2], saved[OWN + 3] = self.length, self.guardUs, self.aligned, self.contradicted
  saved[OWN + 4], saved[OWN + 5] = self.learner.low, self.learner.high
  if self.windows then
    saved[OWN + 6], saved[OWN + 7], saved[OWN + 8], saved[OWN + 9], saved[OWN + 10] = self.windows:save()
  end
  return saved
end

function Fixed:configure(settings)
  local saved = self.saved
  self.limit = settings.limit
  self.capacity = settings.capacity
  self.span = settings.lengthUs + settings.guardUs
  self.saved = nil
  if settings.lengthUs == self.length and settings.guardUs == self.guardUs and settings.aligned == self.aligned then
    if saved and saved[OWN + 6] then self:open(saved) end
    return
  end
  self.changed = true
  local counted, length, span = self.aligned and saved[OWN + 6] and saved or nil, self.length, self.length + self.guardUs
  self.length, self.guardUs, self.aligned = settings.lengthUs, settings.guardUs, settings.aligned
  self.contradicted = 'no'
  self.learner = { low = 0, high = HUGE }
  self.windows = nil
  if self.aligned then self:open(counted) end
  if not self.windows then
    if counted then self:noteCounted(counted) end
  elseif not counted then
    self:countForeign(span)
  elseif length ~= self.length then
    self.windows:refit()
  end
end

-- What windows of the clock have counted and no log tells of: it leaves a window after their end at the latest.
function Fixed:noteCounted(counted)
  local start, ending, inside = counted[OWN + 6], counted[OWN + 7], counted[OWN + 9]
  for i = 0, self.log:length() - 1 do
    local _, time, cost = self.log:at(i)
    if time >= start then inside = inside - cost end
  end
  if inside <= 0 then return end
  self.foreign = math.max(self.foreign, inside)
  self.foreignUntil = math.max(self.foreignUntil, ending - 1 + self.span)
end

-- The way back: windows of the clock are open now. `span`: that it was noted by.
function Fixed:countForeign(span)
  if self.foreign <= 0 then return end
  local at, length = self.foreignUntil - span, self.log:length()
  if length > 0 then
    local _, time = self.log:at(length - 1)
    at = math.max(at, time)
  end
  self.windows:add(at, self.foreign)
end

-- Counts by windows that begin where it is known, give or take the doubt; a shadow on both sides that leaves nothing between
-- is no gain. `saved`: what they have counted; nil = what the log tells.
function Fixed:open(saved)
  local phase, doubt = 0, 0
  if not self.aligned then phase, doubt = edgeLearner.phase(self.learner) end
  local edge = self.guardUs + doubt
  if 2 * edge >= self.length then return end
  local windows = Windows.load(self, Windows.ofLength, edge, saved, OWN + 6)
  windows.phase, windows.length = phase, self.length
  self.windows = windows
  if saved then return end
  for i = 0, self.log:length() - 1 do
    local _, time, cost = self.log:at(i)
    windows:add(time, cost)
  end
end

function Fixed:moment(now, start, lane, owed, cost)
  if not self.windows then return Sliding.moment(self, now, start, lane, owed, cost) end
  if cost == 0 then return start end
  if cost > self.capacity + EPSILON then return HUGE end
  if self.shutUntil > start then return self:moment(now, self.shutUntil, lane, owed, cost) end
  return self.windows:moment(now, start, self.capacity, owed, cost)
end

function Fixed:admits(now, lane, cost)
  if not self.windows then return Sliding.admits(self, now, lane, cost) end
  if cost == 0 then return HUGE end
  if self.shutUntil > now then return 0 end
  local free = self.windows:free(now, self.capacity)
  return free < 0 and 0 or floor((free + EPSILON) / cost)
end

function Fixed:place(now, moment, cost)
  if not self.windows then return Sliding.place(self, now, moment, cost) end
  return self.windows:apart(now, moment) and 0 or cost
end

function Fixed:charge(now, lane, cost)
  if cost == 0 then return end
  if self.windows then
    self.windows:add(now, cost)
    if self.aligned then return end
  end
  self:advance(now)
  Sliding.charge(self, now, lane, cost)
end

function Fixed:refund(now, lane, cost, grantedAt)
  if self.windows then self.windows:takeBack(now, cost, grantedAt) end
  Sliding.refund(self, now, lane, cost, grantedAt)
end

function Fixed:lower(now, remaining, later, resetInUs, grantedAt, laterFrom)
  if resetInUs and resetInUs <= self:longestResetUs() + RESET_ROUNDING_US then
    if self.aligned then self:compare(now + resetInUs) else self:learn(now, resetInUs) end
  end
  if not self.windows then return Sliding.lower(self, now, remaining, later, resetInUs, grantedAt, laterFrom) end
  if not self.windows:surelyHolds(now, grantedAt) then return false end
  local more = self.windows:free(now, self.capacity) - givenBack.since(self.givenBack, grantedAt, laterFrom) - (remaining - later)
  if more <= EPSILON then return false end
  self.windows:raise(now, more)
  return true
end

-- A reset was told: does a window of the clock begin there?
function Fixed:compare(edge)
  local before = edge - book.RESET_LATE_US - self.guardUs
  local nearest = ceil(before / self.length) * self.length
  if nearest > edge + RESET_ROUNDING_US and self.contradicted == 'no' then
    self.contradicted = 'now'
    self.changed = true
  end
end

-- Whether the provider's resets have just shown that the windows are not the clock's: true once.
function Fixed:takeContradiction()
  if self.contradicted ~= 'now' then return false end
  self.contradicted = 'told'
  self.changed = true
  return true
end

function Fixed:learn(now, resetInUs)
  self.changed = true
  if not edgeLearner.see(self.learner, now + resetInUs, self.length, self.guardUs) then return end
  self.windows = nil
  if edgeLearner.known(self.learner) then self:open(nil) end
end

function Fixed:used(now)
  if not self.windows then return Sliding.used(self, now) end
  return self.windows:used(now)
end

function Fixed:idleAt(now)
  local logged = Sliding.idleAt(self, now)
  return self.windows and math.max(logged, self.windows:idleAt(now)) or logged
end

return Fixed
