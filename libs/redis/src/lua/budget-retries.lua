-- The part of memory/budget.ts that only retries need: the methods of RetryBudget that judge one, book it, and keep places for
-- those that sleep.
local Records = require('books/records')
local RetryBudget = require('budget')
local Store = require('store')

local SLICE_US, MINUTE_US = RetryBudget.SLICE_US, RetryBudget.MINUTE_US
local SLICE, SLICE_BYTES = RetryBudget.SLICE, RetryBudget.SLICE_BYTES
local pack, unpack, floor = struct.pack, struct.unpack, math.floor

local MOMENT = '<d'
local MOMENT_BYTES = 8

-- A provisional place is kept for so long beyond its holder's own bounds: what it does between sleep and line takes time too.
local PLACE_KEPT_US = 60000000

local Retries = {}

local function latestOf(budget)
  if not budget.isOpen then
    local saved = budget.latest
    budget.latest = Records.load('retries', MOMENT_BYTES, saved.from, saved.to, saved.tail)
    budget.isOpen = true
  end
  return budget.latest
end

function Retries:countRetry(now, place)
  self.retries = self.retries + 1
  self.retriesInMinute = self.retriesInMinute + 1
  latestOf(self):push(pack(MOMENT, now))
  self:forgetLatest(now)
  if place then self:release(place) end
end

local function momentAt(budget, i)
  local moment = unpack(MOMENT, latestOf(budget):at(i))
  return moment
end

function Retries:forgetLatest(now)
  local latest = latestOf(self)
  while latest:length() > 0 and momentAt(self, 0) <= now - MINUTE_US do
    latest:dropFirst()
    self.changed = true
  end
end

-- One that was counted at `grantedAt` was never sent.
function Retries:uncount(now, kind, grantedAt)
  self:turn(now)
  self.changed = true
  local isFirst = kind == 'first'
  self:uncountSlice(floor(grantedAt / SLICE_US), isFirst)
  if kind == 'retry' then self:takeOut(grantedAt) end
  if floor(grantedAt / MINUTE_US) ~= self.minute then return end
  if isFirst then
    self.firstsInMinute = self.firstsInMinute - 1
  else
    self.retriesInMinute = self.retriesInMinute - 1
  end
end

function Retries:uncountSlice(slice, isFirst)
  local firsts, retries = isFirst and 1 or 0, isFirst and 0 or 1
  if slice == self.slice then
    self.firsts, self.retries = self.firsts - firsts, self.retries - retries
    return
  end
  local older = self.older
  for at = 1, #older, SLICE_BYTES do
    local which, someFirsts, someRetries = unpack(SLICE, older, at)
    if which == slice then
      local less = pack(SLICE, which, someFirsts - firsts, someRetries - retries)
      self.older = older:sub(1, at - 1) .. less .. older:sub(at + SLICE_BYTES)
      return
    end
  end
end

-- The last of those granted at that moment.
function Retries:takeOut(grantedAt)
  for i = latestOf(self):length() - 1, 0, -1 do
    local moment = momentAt(self, i)
    if moment == grantedAt then return latestOf(self):remove(i) end
    if moment < grantedAt then return end
  end
end

-- First attempts, where their slice lies wholly inside the minute, and retries, wherever it touches it.
function Retries:ofLastMinute(now)
  local oldest = floor((now - MINUTE_US) / SLICE_US)
  local firsts, retries = 0, 0
  local older = self.older
  for at = 1, #older, SLICE_BYTES do
    local slice, someFirsts, someRetries = unpack(SLICE, older, at)
    if slice > oldest then firsts = firsts + someFirsts end
    if slice >= oldest then retries = retries + someRetries end
  end
  if self.slice > oldest then firsts = firsts + self.firsts end
  if self.slice >= oldest then retries = retries + self.retries end
  return firsts, retries
end

-- retries <= ratio * (retries + firsts)
local function fits(budget, retries, firsts)
  return retries * (1 - budget.ratio) <= budget.ratio * firsts + 1e-9
end

-- Whether `more` retries fit the minute that ends now.
local function fitsTrailing(budget, now, more)
  budget:forgetLatest(now)
  if latestOf(budget):length() + more <= budget.floor then return true end
  local firsts, retries = budget:ofLastMinute(now)
  return fits(budget, retries + more, firsts)
end

local function fitsCalendar(budget, more)
  local retries = budget.retriesInMinute + more
  return retries <= budget.floor or fits(budget, retries, budget.firstsInMinute)
end

-- Whether a retry may be granted now. One that holds no place stands behind all who do.
function Retries:admits(now, place)
  self:turn(now)
  local sleepers = self:holds(now, place) and 0 or self:placesHeld(now)
  return fitsTrailing(self, now, sleepers + 1) and fitsCalendar(self, sleepers + 1)
end

-- The places are a ZSET, by when they expire. Of what has expired nothing is left once a step has asked.
function Retries:placesHeld(now)
  if self.expiredAt ~= now then
    self.expiredAt = now
    self.places = Store.read('ZCARD', 'bp')
    if self.places > 0 then
      self.places = self.places - Store.write('ZREMRANGEBYSCORE', 'bp', '-inf', Store.number(now))
    end
  end
  return self.places
end

function Retries:holds(now, place)
  if not place or self:placesHeld(now) == 0 then return false end
  return Store.read('ZSCORE', 'bp', place) and true or false
end

-- A place for one that comes within `withinUs`, so that no more sleep than would fit; nil = the budget is spent.
function Retries:reserve(now, withinUs)
  self:turn(now)
  local held = self:placesHeld(now)
  if not fitsTrailing(self, now, held + 1) then return nil end
  self.issued = self.issued + 1
  self.changed = true
  local place = 'p' .. string.format('%.0f', self.issued)
  Store.write('ZADD', 'bp', Store.number(now + withinUs + PLACE_KEPT_US), place)
  self.places = held + 1
  return place
end

function Retries:release(place)
  local removed = Store.write('ZREM', 'bp', place)
  if self.places then self.places = self.places - removed end
end

-- When a retry that does not fit now is worth another try: as the oldest counted ones leave, which a minute's end is too.
function Retries:retryAt(now)
  local nextSlice = (floor(now / SLICE_US) + 1) * SLICE_US
  if latestOf(self):length() == 0 then return nextSlice end
  local floorAgain = momentAt(self, 0) + MINUTE_US
  return floorAgain > now and floorAgain < nextSlice and floorAgain or nextSlice
end

return Retries
