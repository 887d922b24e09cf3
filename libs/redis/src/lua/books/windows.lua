-- Twin of books/windows.ts: counts of the window that is, the one before and the one after. A charge near an edge counts on
-- both sides of it. Where windows begin is told by a function `windowAt(windows, moment)`, which gives start and end.
local EPSILON = require('books/book').EPSILON

local max, ceil, floor = math.max, math.ceil, math.floor

local Windows = {}
Windows.__index = Windows

-- So many numbers are saved.
Windows.NUMBERS = 5

-- `owner`: the account they are of; it has changed when they have. `edge`: nearer than this to an edge a call may be counted
-- on either side. `saved`: a list that holds what `save` gave, from number `at` on; nil = new ones.
function Windows.load(owner, windowAt, edge, saved, at)
  local windows = { owner = owner, windowAt = windowAt, edge = edge }
  if saved then
    windows.start, windows.ending = saved[at], saved[at + 1]
    windows.before, windows.inside, windows.after = saved[at + 2], saved[at + 3], saved[at + 4]
  else
    windows.start, windows.ending, windows.before, windows.inside, windows.after = 0, 0, 0, 0, 0
  end
  return setmetatable(windows, Windows)
end

function Windows:save()
  return self.start, self.ending, self.before, self.inside, self.after
end

-- They begin elsewhere from now on: what has been counted is kept.
function Windows:refit()
  self.start = self.ending
  self.owner.changed = true
end

-- Windows of `length` that begin at `phase`.
function Windows.ofLength(windows, moment)
  local start = floor((moment - windows.phase) / windows.length) * windows.length + windows.phase
  return start, start + windows.length
end

-- Windows between the edges that are known, oldest first. Beyond them the nearest one is repeated.
function Windows.betweenEdges(windows, moment)
  local edges = windows.edges
  local n = #edges
  if moment < edges[1] or moment >= edges[n] then
    local from = moment < edges[1] and 1 or n - 1
    local length = edges[from + 1] - edges[from]
    local start = floor((moment - edges[from]) / length) * length + edges[from]
    return start, start + length
  end
  local i = 1
  while moment >= edges[i + 1] do i = i + 1 end
  return edges[i], edges[i + 1]
end

function Windows:roll(now)
  if now >= self.start and now < self.ending then return end
  local start, ending = self:windowAt(now)
  -- Where they overlap the windows are others now, and what counted in the one counts in the other.
  if start >= self.ending then
    local next = start == self.ending and self.ending ~= 0
    self.before = next and self.inside or 0
    self.inside = next and self.after or 0
  end
  self.after = 0
  self.start = start
  self.ending = ending
  self.owner.changed = true
end

-- The earliest moment from `start` on at which `owed` and then `cost` fit under `room`.
function Windows:moment(now, start, room, owed, cost)
  self:roll(now)
  local amount = owed + cost
  local edge = self.edge
  if start < self.ending then
    local nearStart = start - self.start < edge and self.before + amount - room > EPSILON
    local nearEnd = self.ending - start <= edge and self.after + amount - room > EPSILON
    local full = self.inside + amount - room > EPSILON
    if not nearStart and not nearEnd and not full then return start end
    if nearStart and not full then
      -- Past the shadow of the window before, if that is not the shadow of the next.
      local clear = self.start + edge
      if self.ending - clear > edge then return clear end
    end
  end
  return self:momentInNext(start, room, amount)
end

-- The same where the present window is full.
function Windows:momentInNext(start, room, amount)
  local next = start < self.ending and self.ending or start
  local from, to = self:windowAt(next)
  local used = (next == self.ending or from == self.ending) and self.after or 0
  local shadow = from == self.ending and self.inside or 0
  if used + amount - room > EPSILON then
    local whole = max(1, ceil((amount - EPSILON) / room) - 1 + (used > 0 and 1 or 0))
    return from + whole * (to - from) + self.edge
  end
  if shadow + amount - room <= EPSILON then return next end
  return max(from + self.edge, next)
end

function Windows:endOf(now)
  self:roll(now)
  return self.ending
end

-- Whether the provider, too, has counted what came at `at` in the window of `now`: not before it, nor in its first moments.
function Windows:surelyHolds(now, at)
  self:roll(now)
  return at >= self.start + self.edge
end

-- Whether the window of `now` still lasts at `at`.
function Windows:holds(now, at)
  self:roll(now)
  return at < self.ending
end

-- Whether what is charged now counts no more at `moment`.
function Windows:apart(now, moment)
  self:roll(now)
  return self.ending - now > self.edge and moment >= self.ending + self.edge
end

function Windows:free(now, room)
  self:roll(now)
  local used = self.inside
  if now - self.start < self.edge and self.before > used then used = self.before end
  if self.ending - now <= self.edge and self.after > used then used = self.after end
  return room - used
end

function Windows:add(now, cost)
  self:roll(now)
  self.inside = self.inside + cost
  if now - self.start < self.edge then self.before = self.before + cost end
  if self.ending - now <= self.edge then self.after = self.after + cost end
  self.owner.changed = true
end

function Windows:takeBack(now, cost, at)
  self:roll(now)
  self.owner.changed = true
  if at >= self.start then
    self.inside = max(0, self.inside - cost)
    if at - self.start < self.edge then self.before = max(0, self.before - cost) end
    if self.ending - at <= self.edge then self.after = max(0, self.after - cost) end
    return
  end
  local _, ending = self:windowAt(at)
  if ending ~= self.start then return end
  self.before = max(0, self.before - cost)
  if self.start - at <= self.edge then self.inside = max(0, self.inside - cost) end
end

function Windows:used(now)
  self:roll(now)
  return self.inside
end

-- Counts use that was not ours.
function Windows:raise(now, amount)
  self:roll(now)
  self.inside = self.inside + amount
  self.owner.changed = true
end

function Windows:idleAt(now)
  self:roll(now)
  if self.after > 0 then return self.ending + (self.ending - self.start) + self.edge end
  if self.inside > 0 then return self.ending + self.edge end
  -- Beyond the edge nobody counts the window before.
  return self.before > 0 and self.start + self.edge or now
end

return Windows
