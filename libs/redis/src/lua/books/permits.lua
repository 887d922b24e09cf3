-- Twin of books/permits.ts: permits of a concurrency limit. Each is held by a lease; the count follows the leases.
local book = require('books/book')

local EPSILON, FALLBACK_US, NONE = book.EPSILON, book.FALLBACK_US, book.NONE
local max, min, ceil, floor = math.max, math.min, math.ceil, math.floor

local Permits = { certain = false, renews = true, isPermits = true }
Permits.__index = Permits

-- `cause`: 'concurrency' or 'tenant-share'.
function Permits.load(saved, cause)
  return setmetatable({
    cause = cause,
    limit = -1,
    capacity = 0,
    held = saved and saved[2] or 0,
    shutUntil = saved and saved[3] or 0,
    -- Permits out of each lane's own reserve; nil = at most one lane has one.
    taken = saved and saved[4] or nil,
    changed = saved == nil,
  }, Permits)
end

function Permits:save()
  return { 'permits', self.held, self.shutUntil, self.taken or false }
end

function Permits:configure(settings, same)
  local byLane = settings.reserves or NONE
  self.limit = settings.limit
  self.capacity = settings.capacity
  -- How long the provider may go on after its client has given up.
  self.worksAfterUs = settings.worksAfterUs
  self.reserves = byLane
  self.kept = byLane == NONE and NONE or require('books/reserves').keptForOthers(byLane)
  if same then return end
  self.taken = byLane ~= NONE and require('books/reserves').takenUnder(byLane, self.taken) or nil
  self.changed = true
end

function Permits:room(lane)
  local room = self.capacity - (self.kept[lane + 1] or 0)
  return self.taken and lane >= 0 and room + require('books/reserves').takenByOthers(self.taken, lane) or room
end

function Permits:moment(now, start, lane, owed)
  if self:room(lane) - self.held - owed >= 1 then return start end
  if self.capacity - (self.kept[lane + 1] or 0) < 1 then return math.huge end
  return max(now + FALLBACK_US, start)
end

-- How many permits have to come back before `owed` and then one more fit.
function Permits:missing(lane, owed)
  return ceil(owed + 1 + self.held - self:room(lane) - EPSILON)
end

function Permits:ownLeft(_, lane)
  local reserve = self.reserves[lane + 1] or 0
  if reserve == 0 then return 0 end
  if self.taken then return reserve - self.taken[lane + 1] end
  return min(reserve, self.capacity - self.held)
end

function Permits:admits(_, lane)
  return max(0, floor(self:room(lane) - self.held))
end

-- A permit that comes back at an unknown moment cannot be lent until then.
function Permits:place()
  return 0
end

function Permits:charge(_, lane)
  local taken = self.taken
  if taken then
    local reserves = require('books/reserves')
    local left = self.capacity - reserves.sum(self.reserves) - (self.held - reserves.sum(taken))
    local before = taken[lane + 1] or 0
    taken[lane + 1] = before + reserves.fromReserve(1, left, (self.reserves[lane + 1] or 0) - before)
  end
  self.held = self.held + 1
  self.changed = true
end

function Permits:release(lane)
  self.held = self.held - 1
  local taken = self.taken
  if taken then taken[lane + 1] = max(0, (taken[lane + 1] or 0) - 1) end
  self.changed = true
end

-- The permit itself is given back with its lease.
function Permits:refund() end

function Permits:correct() end

function Permits:empty() end

function Permits:longestResetUs()
  return math.huge
end

function Permits:lower()
  return false
end

function Permits:used()
  return self.held
end

function Permits:idleAt(now)
  return self.held == 0 and now or math.huge
end

return Permits
