-- Twin of memory/budget.ts: retries after failures, as a share of all first attempts and retries, in the calendar minute so
-- far and in the minute that ends now. Of the minute, the slice that is counted in stands open; those before it are packed,
-- and read only when a retry is judged. The moments of the last minute's retries are a list of records.
local pack, unpack, floor = struct.pack, struct.unpack, math.floor

local SLICE_US = 5000000
local MINUTE_US = 60000000
-- A minute touches so many slices.
local SLICES = 13

local SLICE = '<ddd'
local SLICE_BYTES = 24

local RetryBudget = { SLICE_US = SLICE_US, MINUTE_US = MINUTE_US, SLICE = SLICE, SLICE_BYTES = SLICE_BYTES }
RetryBudget.__index = RetryBudget
-- Most steps meet no retry: what only those need is made when it is first asked for.
setmetatable(RetryBudget, { __index = function(_, name) return require('budget-retries')[name] end })

-- `settings`: { ratio, floor }.
function RetryBudget.load(saved, settings)
  local budget = setmetatable({
    ratio = settings.ratio, floor = settings.floor,
    -- How many places are held, and when the expired ones were taken out; false = nobody has looked.
    places = false, expiredAt = false,
    -- `latest` is a list of records by now.
    isOpen = false, changed = saved == nil,
  }, RetryBudget)
  if saved == nil then
    budget.slice, budget.firsts, budget.retries, budget.older = -1, 0, 0, ''
    budget.minute, budget.firstsInMinute, budget.retriesInMinute, budget.issued = -1, 0, 0, 0
    budget.latest = { from = 0, to = 0, tail = '' }
    return budget
  end
  -- The slice that is counted in, and those of the minute before it.
  budget.slice, budget.firsts, budget.retries, budget.older = saved[1], saved[2], saved[3], saved[4]
  budget.minute, budget.firstsInMinute, budget.retriesInMinute = saved[5], saved[6], saved[7]
  budget.issued = saved[8]
  -- When the retries of the last minute were granted, oldest first.
  budget.latest = { from = saved[9], to = saved[10], tail = saved[11] }
  return budget
end

function RetryBudget:save()
  local latest = self.latest
  return {
    self.slice, self.firsts, self.retries, self.older, self.minute, self.firstsInMinute, self.retriesInMinute,
    self.issued, latest.from, latest.to, latest.tail,
  }
end

-- Brings the counters to the slice and minute of `now`.
function RetryBudget.turn(budget, now)
  local minute = floor(now / MINUTE_US)
  if minute ~= budget.minute then
    budget.minute, budget.firstsInMinute, budget.retriesInMinute = minute, 0, 0
    budget.changed = true
  end
  local slice = floor(now / SLICE_US)
  if slice == budget.slice then return end
  local older = budget.older
  if budget.firsts > 0 or budget.retries > 0 then
    older = older .. pack(SLICE, budget.slice, budget.firsts, budget.retries)
  end
  while #older > 0 and unpack('<d', older) <= slice - SLICES do older = older:sub(SLICE_BYTES + 1) end
  budget.slice, budget.firsts, budget.retries, budget.older = slice, 0, 0, older
  budget.changed = true
end

-- `place`: that a retry fills; nil = it has none.
function RetryBudget:count(now, kind, place)
  self:turn(now)
  self.changed = true
  if kind == 'first' then
    self.firsts = self.firsts + 1
    self.firstsInMinute = self.firstsInMinute + 1
    return
  end
  self:countRetry(now, place)
end

return RetryBudget
