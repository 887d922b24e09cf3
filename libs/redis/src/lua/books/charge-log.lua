-- Twin of books/log.ts: what was charged when, oldest first; what is older than the span is forgotten. An entry is a record of
-- three doubles: first and last moment, and cost.
local Records = require('books/records')

local pack, unpack, floor = struct.pack, struct.unpack, math.floor

local ENTRY = '<ddd'
local BYTES = 24

-- Beyond so many, charges within a thousandth of the span become one, dated by the latest.
local LIMIT_ENTRIES = 1024
-- Of what has left the window, so many parts of a span are told apart. Each is a moment and a cost.
local LAPSES = 16
local LAPSE = '<dd'
local LAPSE_BYTES = 16

local ChargeLog = {}
ChargeLog.__index = ChargeLog

-- `saved`: a list that holds what `save` gave, from number `at` on; nil = a new one.
function ChargeLog.load(name, saved, at)
  if saved == nil then
    return setmetatable({ entries = Records.new(name, BYTES), total = 0, oldest = math.huge, lapsed = '' }, ChargeLog)
  end
  local entries = Records.load(name, BYTES, saved[at], saved[at + 1], saved[at + 2])
  return setmetatable({ entries = entries, total = saved[at + 3], oldest = saved[at + 4], lapsed = saved[at + 5] }, ChargeLog)
end

-- The numbers to be saved, the moment of the first entry among them: mostly it tells that nothing is to be forgotten.
function ChargeLog:save()
  local entries = self.entries
  return entries.from, entries.to, entries.tail, self.total, self.oldest, self.lapsed
end

function ChargeLog:length()
  return self.entries:length()
end

-- First and last moment and cost of entry `i`, from 0.
function ChargeLog:at(i)
  local first, time, cost = unpack(ENTRY, self.entries:at(i))
  return first, time, cost
end

-- What was charged after `moment` and has left the window; a span later it is not known any more.
function ChargeLog:lapsedAfter(moment)
  local sum, lapsed = 0, self.lapsed
  for i = 1, #lapsed, LAPSE_BYTES do
    local time, cost = unpack(LAPSE, lapsed, i)
    if time > moment then sum = sum + cost end
  end
  return sum
end

function ChargeLog:note(time, cost, span)
  local lapsed, grain = self.lapsed, span / LAPSES
  local size = #lapsed
  if size > 0 then
    local last, there = unpack(LAPSE, lapsed, size - LAPSE_BYTES + 1)
    if floor(last / grain) == floor(time / grain) then
      self.lapsed = lapsed:sub(1, size - LAPSE_BYTES) .. pack(LAPSE, time, there + cost)
      return
    end
  end
  local from = 1
  while from <= size and unpack(LAPSE, lapsed, from) <= time - span do from = from + LAPSE_BYTES end
  self.lapsed = lapsed:sub(from) .. pack(LAPSE, time, cost)
end

-- Forgets what was charged at `horizon` or before, but for what `lapsedAfter` tells of it. True = there was something.
function ChargeLog:forget(horizon, span)
  if self.oldest > horizon then return false end
  local entries = self.entries
  local _, time, cost = self:at(0)
  while time and time <= horizon do
    self.total = self.total - cost
    if cost > 0 then self:note(time, cost, span) end
    entries:dropFirst()
    time = nil
    if entries:length() > 0 then _, time, cost = self:at(0) end
  end
  self.oldest = time or math.huge
  if entries:length() == 0 then self.total = 0 end
  return true
end

function ChargeLog:add(time, cost, span)
  local entries = self.entries
  local size = entries:length()
  self.total = self.total + cost
  if size > 0 then
    local first, last, there = self:at(size - 1)
    local grain = size < LIMIT_ENTRIES and 0 or span / 1000
    if last == time or (grain > 0 and floor(last / grain) == floor(time / grain)) then
      return entries:replace(size - 1, pack(ENTRY, first, time, there + cost))
    end
  else
    self.oldest = time
  end
  entries:push(pack(ENTRY, time, time, cost))
end

-- Takes `cost` back from the entry that holds the charge made at `time`, as far as it is still there.
function ChargeLog:takeBack(time, cost)
  local size = self:length()
  local low, high = 0, size
  while low < high do
    local middle = floor((low + high) / 2)
    local _, at = self:at(middle)
    if at < time then low = middle + 1 else high = middle end
  end
  if low == size then return end
  local first, last, there = self:at(low)
  if first > time then return end
  local taken = there < cost and there or cost
  self.entries:replace(low, pack(ENTRY, first, last, there - taken))
  self.total = self.total - taken
end

-- What it holds in Redis is gone with it.
function ChargeLog:clear()
  self.entries:clear()
  self.total, self.oldest, self.lapsed = 0, math.huge, ''
end

return ChargeLog
