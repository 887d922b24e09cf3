-- Twin of books/calendar-quota.ts: at most `capacity` in a calendar day or month. Where those begin its process says.
local book = require('books/book')
local givenBack = require('books/given-back')
local reserves = require('books/reserves')
local Windows = require('books/windows')

local EPSILON, NONE = book.EPSILON, book.NONE
local max, min, floor, HUGE = math.max, math.min, math.floor, math.huge

-- Saved are three figures besides its kind, and from here on the counts of its periods.
local PERIODS = 5

local CalendarQuota = { cause = 'quota', certain = true }
CalendarQuota.__index = CalendarQuota

function CalendarQuota.load(saved)
  return setmetatable({
    limit = -1, shutUntil = saved and saved[2] or 0, zone = saved and saved[3] or '', givenBack = saved and saved[4] or '',
    saved = saved, changed = saved == nil,
  }, CalendarQuota)
end

function CalendarQuota:save()
  local saved = { 'calendar-quota', self.shutUntil, self.zone, self.givenBack, self.periods:save() }
  for _, taken in ipairs(self.taken or NONE) do
    local n = #saved
    saved[n + 1], saved[n + 2], saved[n + 3], saved[n + 4], saved[n + 5] = taken:save()
  end
  return saved
end

-- Of a zone, where its periods begin; the guard is its last word.
local function edgesOf(zone)
  return zone:match('^(.*) %S*$')
end

function CalendarQuota:configure(settings)
  local byLane, saved = settings.reserves or NONE, self.saved
  self.saved = nil
  self.limit = settings.limit
  self.capacity = settings.capacity
  self.guardUs = settings.guardUs
  self.edges = settings.edges
  self.reserves = byLane
  -- What is kept from each lane for the others.
  self.kept = reserves.keptForOthers(byLane)
  self.periods = self:windows(saved, PERIODS)
  if settings.zone ~= self.zone then
    if edgesOf(settings.zone) ~= edgesOf(self.zone) then self.periods:refit() end
    saved = nil
    self.zone = settings.zone
    self.changed = true
  end
  -- What each lane took out of its own reserve, in each period; nil = at most one lane has one.
  self.taken = nil
  local first = PERIODS + Windows.NUMBERS
  local lanes = saved and (#saved - first + 1) / Windows.NUMBERS
  if not reserves.severalReserves(byLane) then
    if lanes ~= 0 then self.changed = true end
    return
  end
  self.taken = {}
  for i = 1, #byLane do
    self.taken[i] = self:windows(lanes == #byLane and saved or nil, first + (i - 1) * Windows.NUMBERS)
  end
  if lanes ~= #byLane then self.changed = true end
end

function CalendarQuota:windows(saved, at)
  local windows = Windows.load(self, Windows.betweenEdges, self.guardUs, saved, at)
  windows.edges = self.edges
  return windows
end

function CalendarQuota:room(lane)
  return self.capacity - (self.kept[lane + 1] or 0)
end

-- What all lanes, or all but one, took out of their own reserves.
local function takenOf(quota, now, exceptLane)
  local total = 0
  for i, taken in ipairs(quota.taken or NONE) do
    if i ~= exceptLane + 1 then total = total + taken:used(now) end
  end
  return total
end

function CalendarQuota:moment(now, start, lane, owed, cost)
  if cost == 0 then return start end
  local room = self:room(lane)
  if cost > room + EPSILON then return HUGE end
  if self.shutUntil > start then return self:moment(now, self.shutUntil, lane, owed, cost) end
  -- What lanes took out of their own reserves is not kept from others once more.
  local lent = takenOf(self, now, lane)
  -- A new period begins with full reserves.
  if lent > 0 and self.periods:holds(now, start) then
    if self.periods:moment(now, start, room + lent, owed, cost) == start then return start end
  end
  return self.periods:moment(now, start, room, owed, cost)
end

function CalendarQuota:ownLeft(now, lane)
  local reserve = self.reserves[lane + 1] or 0
  if reserve == 0 then return 0 end
  local own = self.taken and self.taken[lane + 1]
  if own then return reserve - own:used(now) end
  return min(reserve, self.periods:free(now, self.capacity))
end

function CalendarQuota:admits(now, lane, cost)
  if cost == 0 then return HUGE end
  if self.shutUntil > now then return 0 end
  local free = self.periods:free(now, self:room(lane) + takenOf(self, now, lane))
  return free < 0 and 0 or floor((free + EPSILON) / cost)
end

function CalendarQuota:place(now, moment, cost)
  return self.periods:apart(now, moment) and 0 or cost
end

function CalendarQuota:charge(now, lane, cost)
  if cost == 0 then return end
  if self.taken then
    local left = self.capacity - reserves.sum(self.reserves) - (self.periods:used(now) - takenOf(self, now, -1))
    local own = self.taken[lane + 1]
    local part = reserves.fromReserve(cost, left, (self.reserves[lane + 1] or 0) - own:used(now))
    if part > 0 then own:add(now, part) end
  end
  self.periods:add(now, cost)
end

function CalendarQuota:refund(now, lane, cost, grantedAt)
  if self.taken then self.taken[lane + 1]:takeBack(now, cost, grantedAt) end
  self.periods:takeBack(now, cost, grantedAt)
end

CalendarQuota.correct = book.correct

-- A refusal does not say that the period is spent.
function CalendarQuota:empty() end

function CalendarQuota:longestResetUs(now)
  return self.periods:endOf(now) - now + self.periods.edge
end

function CalendarQuota:lower(now, remaining, later, _, grantedAt, laterFrom)
  if not self.periods:surelyHolds(now, grantedAt) then return false end
  local more = self.periods:free(now, self.capacity) - givenBack.since(self.givenBack, grantedAt, laterFrom) - (remaining - later)
  if more <= EPSILON then return false end
  self.periods:raise(now, more)
  return true
end

function CalendarQuota:used(now)
  return self.periods:used(now)
end

function CalendarQuota:idleAt(now)
  return max(self.periods:idleAt(now), self.shutUntil)
end

return CalendarQuota
