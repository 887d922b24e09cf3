-- Twin of the class Waiter in memory/model.ts, and of what keeps it: a ticket while something waits behind it. Of the calls
-- that it shows only the first is kept; its process shows them all whenever it asks.
local Plans = require('plans')
local State = require('state')
local Store = require('store')

local pack, unpackNumbers = struct.pack, struct.unpack
local Waiter = {}
Waiter.__index = Waiter

local Waiters = {}

-- By id; false = there is none.
local known

-- By ticket, of the process whose step this is; false = it waits for nothing.
local own

require('fresh').each(function() known, own = {}, {} end)

function Waiters.new(processId, key, plan, weight, now)
  State.waiterNo = State.waiterNo + 1
  State.waiting = State.waiting + 1
  local waiter = setmetatable({
    id = State.waiterNo, processId = processId, key = key, plan = plan, lane = plan.lane, tenant = plan.tenant,
    weight = weight, calls = 0, heads = {}, head = 1, arrived = 0, newest = 0, moment = 0, pollAt = 0, by = -1,
    cause = 'line', aside = false, bare = 0, eligible = 0, safe = false, entries = {}, changed = true,
  }, Waiter)
  -- `at`: number of the stage in whose line it stands.
  for i, ref in ipairs(plan.refs) do
    waiter.entries[i] = { waiter = waiter, rank = 0, no = 0, span = -1, state = 'out', at = ref[2] }
  end
  known[waiter.id] = waiter
  Store.write('HSET', 'wk', processId .. '\0' .. key, Store.id(waiter.id))
  Waiters.dueAt(waiter, now)
  return waiter
end

-- When it is forgotten unless its process asks again.
function Waiters.dueAt(waiter, due)
  waiter.due = due
  waiter.isMoved = true
end

-- Who stands in front of others is looked at in most steps, by dozens: the numbers that this takes come first in a record, and
-- are read at once. The rest is read where it is asked for.
local NUMBERS, ENTRY = '<dddddddBBBI2', '<dddBd'
local STATES, NAMES = { out = 0, ['in'] = 1, parked = 2 }, { [0] = 'out', 'in', 'parked' }

local function readRest(waiter)
  local rest = waiter.rest
  waiter.rest, waiter.costs = nil, nil
  setmetatable(waiter, Waiter)
  local kept, heads = {}, nil
  kept.processId, kept.key, kept.weight, kept.plan, heads, kept.cause, kept.bare, kept.safe, kept.due =
    unpack(cmsgpack.unpack(rest))
  kept.plan = Plans.load(kept.plan)
  kept.heads = heads and { { id = heads[1], kind = heads[2], charges = heads[3] } } or {}
  -- What the step has set meanwhile stays.
  for name, value in pairs(kept) do
    if rawget(waiter, name) == nil then waiter[name] = value end
  end
end

-- What is not read yet is read when a part of it is asked for.
local Unread = {
  __index = function(waiter, name)
    if Waiter[name] then return Waiter[name] end
    -- It is not kept who asked in this step.
    if name ~= 'shownBy' then readRest(waiter) end
    return rawget(waiter, name)
  end,
}

local function load(id, saved)
  local calls, arrived, newest, moment, pollAt, by, eligible, aside, lane, count, length, at = unpackNumbers(NUMBERS, saved)
  local tenant, entries, text = saved:sub(at, at + length - 1), {}, nil
  at = at + length
  for i = 1, count do
    local rank, no, span, state, stage
    rank, no, span, state, stage, at = unpackNumbers(ENTRY, saved, at)
    entries[i] = { waiter = false, rank = rank, no = no, span = span, state = NAMES[state], at = stage }
  end
  text, at = unpackNumbers('<I4', saved, at)
  -- All at once: a table that grows field by field is made anew again and again.
  local waiter = {
    id = id, head = 1, changed = false, isMoved = false, calls = calls, arrived = arrived, newest = newest, moment = moment,
    pollAt = pollAt, by = by, eligible = eligible, aside = aside == 1, lane = lane, tenant = tenant, entries = entries,
    costs = saved:sub(at, at + text - 1), rest = saved:sub(at + text),
  }
  for i = 1, count do entries[i].waiter = waiter end
  return setmetatable(waiter, Unread)
end

function Waiter:save()
  local head = self:current()
  local entries = {}
  for i, one in ipairs(self.entries) do entries[i] = pack(ENTRY, one.rank, one.no, one.span, STATES[one.state], one.at) end
  local text = require('costs').textOf(self.plan, head)
  local numbers = pack(
    NUMBERS, self.calls, self.arrived, self.newest, self.moment, self.pollAt, self.by, self.eligible, self.aside and 1 or 0,
    self.lane, #entries, #self.tenant
  )
  return numbers .. self.tenant .. table.concat(entries) .. pack('<I4', #text) .. text .. cmsgpack.pack({
    self.processId, self.key, self.weight, Plans.save(self.plan), head and { head.id, head.kind, head.charges } or false,
    self.cause, self.bare, self.safe, self.due,
  })
end

-- The waiters of these ids, each once read; false where there is none.
function Waiters.all(ids)
  local missing = {}
  for _, id in ipairs(ids) do
    if known[id] == nil then missing[#missing + 1] = Store.id(id) end
  end
  if #missing > 0 then
    for i, saved in ipairs(Store.read('HMGET', 'wt', unpack(missing))) do
      local id = Store.numberOf(missing[i])
      known[id] = saved and load(id, saved)
    end
  end
  local found = {}
  for i, id in ipairs(ids) do found[i] = known[id] end
  return found
end

function Waiters.ofTicket(processId, key)
  local waiter = own[key]
  if waiter == nil then
    local id = Store.read('HGET', 'wk', processId .. '\0' .. key)
    waiter = id and Waiters.all({ Store.numberOf(id) })[1]
    own[key] = waiter
  end
  return waiter
end

-- Reads at once the waiters of tickets that `ofTicket` is asked for afterwards.
function Waiters.prefetch(processId, keys)
  local names = {}
  for i, key in ipairs(keys) do names[i] = processId .. '\0' .. key end
  local ids, at = {}, {}
  for i, id in ipairs(Store.read('HMGET', 'wk', unpack(names))) do
    own[keys[i]] = false
    if id then ids[#ids + 1], at[#at + 1] = Store.numberOf(id), keys[i] end
  end
  for i, waiter in ipairs(Waiters.all(ids)) do own[at[i]] = waiter end
end

function Waiters.remember(waiter)
  own[waiter.key] = waiter
end

-- It is in no line any more.
function Waiters.delete(waiter)
  local id = Store.id(waiter.id)
  known[waiter.id] = false
  State.waiting = State.waiting - 1
  if waiter.processId == State.processId then own[waiter.key] = false end
  Store.write('HDEL', 'wk', waiter.processId .. '\0' .. waiter.key)
  Store.write('HDEL', 'wt', id)
  Store.write('ZREM', 'wx', id)
end

function Waiters.saveAll()
  local records, dues = {}, {}
  for id, waiter in pairs(known) do
    if waiter and waiter.changed then
      local n = #records
      records[n + 1], records[n + 2] = Store.id(id), waiter:save()
    end
    if waiter and waiter.isMoved then
      local n = #dues
      dues[n + 1], dues[n + 2] = waiter.due, Store.id(id)
    end
  end
  if #records > 0 then Store.writeAll('HSET', 'wt', records) end
  if #dues > 0 then Store.addDues('wx', dues) end
end

function Waiter:current()
  return self.heads[self.head]
end

function Waiter:inWhole()
  return self.entries[#self.entries].state == 'in'
end

function Waiter:indexIn(stage)
  for i, one in ipairs(self.entries) do
    if one.at == stage.no then return i end
  end
end

-- Where it stands in a stage's line.
function Waiter:entryIn(stage)
  return self.entries[self:indexIn(stage)]
end

return Waiters
