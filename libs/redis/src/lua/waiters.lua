-- Twin of the class Waiter in memory/model.ts, and of what keeps it: a ticket while something waits behind it. Of the calls
-- that it shows only the first is kept; its process shows them all whenever it asks.
local Plans = require('plans')
local State = require('state')
local Store = require('store')

local Waiter = {}
Waiter.__index = Waiter

local Waiters = {}

-- By id; false = there is none.
local known

-- By ticket, of the process whose step this is; false = it waits for nothing.
local own

require('fresh').each(function() known, own = {}, {} end)

local function entry(waiter, rank, no, span, state)
  return { waiter = waiter, rank = rank, no = no, span = span, state = state }
end

function Waiters.new(processId, key, plan, weight, now)
  State.waiterNo = State.waiterNo + 1
  State.waiting = State.waiting + 1
  local waiter = setmetatable({
    id = State.waiterNo, processId = processId, key = key, plan = plan, lane = plan.lane, tenant = plan.tenant,
    weight = weight, calls = 0, heads = {}, head = 1, arrived = 0, newest = 0, moment = 0, pollAt = 0, by = -1,
    cause = 'line', aside = false, bare = 0, eligible = 0, safe = false, entries = {}, changed = true,
  }, Waiter)
  for i = 1, #plan.refs do waiter.entries[i] = entry(waiter, 0, 0, -1, 'out') end
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

local function load(id, saved)
  local plan, head, entries
  local waiter = setmetatable({ id = id, head = 1, changed = false }, Waiter)
  waiter.processId, waiter.key, waiter.weight, plan, waiter.calls, head, waiter.arrived, waiter.newest, waiter.moment,
    waiter.pollAt, waiter.by, waiter.cause, waiter.aside, waiter.bare, waiter.eligible, waiter.safe, waiter.due, entries =
    unpack(cmsgpack.unpack(saved))
  waiter.plan = Plans.load(plan)
  waiter.lane, waiter.tenant = waiter.plan.lane, waiter.plan.tenant
  waiter.heads = head and { { id = head[1], kind = head[2], charges = head[3] } } or {}
  waiter.entries = {}
  for i = 1, #entries, 4 do
    waiter.entries[#waiter.entries + 1] = entry(waiter, unpack(entries, i, i + 3))
  end
  return waiter
end

function Waiter:save()
  local entries = {}
  for _, one in ipairs(self.entries) do
    local n = #entries
    entries[n + 1], entries[n + 2], entries[n + 3], entries[n + 4] = one.rank, one.no, one.span, one.state
  end
  local head = self:current()
  return cmsgpack.pack({
    self.processId, self.key, self.weight, Plans.save(self.plan), self.calls, head and { head.id, head.kind, head.charges } or false,
    self.arrived, self.newest, self.moment, self.pollAt, self.by, self.cause, self.aside, self.bare, self.eligible,
    self.safe, self.due, entries,
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

-- Where it stands in a stage's line.
function Waiter:entryIn(stage)
  return self.entries[Plans.indexOf(self.plan, stage)]
end

return Waiters
