-- Twin of the class Lease in memory/model.ts, and of what keeps it: the right to one attempt, and what it holds until it ends.
local Plans = require('plans')
local State = require('state')
local Store = require('store')

local pack, unpackOne = struct.pack, struct.unpack

local Leases = {}

-- Of a record: moment of the grant, moment of expiry, flags. What many leases have in common follows: their terms.
local HEAD = '<ddB'
local SETTLED, PROBE = 1, 2

-- Terms that this step has read, by their text. Leases of one ticket share them, and with them one plan: each lease finds in
-- them what is not its own.
local terms

-- Those of the lease that was granted last, and of the one that was written last: the next one is mostly of the same ticket.
local granted, last

-- By sequence number; false = there is none.
local known

-- Leases of this step that are alike, not among the known ones: first number, how many, moment of expiry, record.
local groups

-- Never due. A set by time with a name as long as this is kept as a tree: as a list, as it is while it is small, each lease
-- would be looked for among all.
local NEVER = string.rep('-', 65)

-- Ids of those that ended in this step: they are taken out at once, and after the new ones are in, so that no key is made anew
-- in every step.
local ended, ranOut

require('fresh').each(function()
  -- Counts what happens to them.
  Leases.changes = 0
  known, ended, ranOut, terms, granted, last, groups = {}, {}, {}, {}, {}, {}, {}
end)

local function shared(plan, charges, kind)
  local one = { plan = plan, charges = charges, kind = kind, lane = plan.lane }
  one.__index = one
  return one
end

function Leases.new(plan, head, now, due)
  State.leases = State.leases + 1
  if granted.plan ~= plan or granted.charges ~= head.charges or granted.kind ~= head.kind then
    granted = shared(plan, head.charges, head.kind)
  end
  local lease = setmetatable({
    seq = State.seq, grantedAt = now, due = due,
    -- Settled; what it holds of permits it keeps until `due`.
    settled = false,
    -- It is the probe of a stage's pause or of the breaker.
    probe = false,
    changed = true, isMoved = true,
  }, granted)
  known[lease.seq] = lease
  Leases.changes = Leases.changes + 1
  return lease
end

local function termsOf(text)
  local known = terms[text]
  if not known then
    local plan, charges, kind = unpack(cmsgpack.unpack(text))
    known = shared(Plans.load(plan), charges, kind)
    terms[text] = known
  end
  return known
end

local function load(seq, saved)
  local grantedAt, due, flags, behind = unpackOne(HEAD, saved)
  local lease = {
    seq = seq, grantedAt = grantedAt, due = due, settled = flags % 2 == SETTLED, probe = flags >= PROBE, changed = false,
    isMoved = false,
  }
  return setmetatable(lease, termsOf(saved:sub(behind)))
end

local function record(plan, charges, kind, grantedAt, due, flags)
  if last.plan ~= plan or last.charges ~= charges or last.kind ~= kind then
    last = { plan = plan, charges = charges, kind = kind, text = cmsgpack.pack({ Plans.save(plan), charges, kind }) }
  end
  return pack(HEAD, grantedAt, due, flags) .. last.text
end

local function save(lease)
  local flags = (lease.settled and SETTLED or 0) + (lease.probe and PROBE or 0)
  return record(lease.plan, lease.charges, lease.kind, lease.grantedAt, lease.due, flags)
end

-- So many that differ in nothing but their numbers.
function Leases.newAlike(plan, head, now, due, count)
  groups[#groups + 1] = { State.seq + 1, count, due, record(plan, head.charges, head.kind, now, due, 0) }
  State.seq = State.seq + count
  State.leases = State.leases + count
  Leases.changes = Leases.changes + 1
end

-- Stages have been dropped: what is read from now on looks for its own anew.
function Leases.forgetTerms()
  terms = {}
end

-- The leases of these sequence numbers, each once read; false where there is none.
function Leases.all(seqs)
  local missing = {}
  for _, seq in ipairs(seqs) do
    if known[seq] == nil then missing[#missing + 1] = Store.id(seq) end
  end
  if #missing > 0 then
    for i, saved in ipairs(Store.read('HMGET', 'ls', unpack(missing))) do
      local seq = Store.numberOf(missing[i])
      known[seq] = saved and load(seq, saved)
    end
  end
  local found = {}
  for i, seq in ipairs(seqs) do found[i] = known[seq] end
  return found
end

-- One that has not been settled.
function Leases.get(id)
  if type(id) ~= 'number' then return nil end
  local lease = known[id]
  if lease == nil then lease = Leases.all({ id })[1] end
  return lease and not lease.settled and lease or nil
end

function Leases.move(lease, due)
  lease.due = due
  lease.changed, lease.isMoved = true, true
  Leases.changes = Leases.changes + 1
end

function Leases.delete(lease)
  known[lease.seq] = false
  Leases.changes = Leases.changes + 1
  State.leases = State.leases - 1
  local id = Store.id(lease.seq)
  ended[#ended + 1], ranOut[#ranOut + 1] = id, id
end

-- Those that are alike are written at once: nobody has any of them in hand.
local function flushGroups(dues)
  local records, n, m = {}, 0, #dues
  for _, group in ipairs(groups) do
    local first, count, due, saved = unpack(group)
    for seq = first, first + count - 1 do
      local id = Store.id(seq)
      records[n + 1], records[n + 2] = id, saved
      dues[m + 1], dues[m + 2] = due, id
      n, m = n + 2, m + 2
    end
  end
  groups = {}
  Store.writeAll('HSET', 'ls', records)
end

-- Books begin.
function Leases.begin()
  Store.write('ZADD', 'lx', '+inf', NEVER)
end

-- Writes those that are new or have moved, and takes out those that ended, so that they can be looked for by their time.
function Leases.flush()
  local dues = {}
  for seq, lease in pairs(known) do
    if lease and lease.isMoved then
      lease.isMoved = false
      dues[#dues + 1], dues[#dues + 2] = lease.due, Store.id(seq)
    end
  end
  if #groups > 0 then flushGroups(dues) end
  if #dues > 0 then Store.addDues('lx', dues) end
  if #ranOut > 0 then
    Store.writeAll('ZREM', 'lx', ranOut)
    ranOut = {}
    -- The key is gone with the last of them; one that comes later in this step makes it anew.
    if State.leases <= 0 then State.hadLeases = false end
  end
end

function Leases.saveAll()
  Leases.flush()
  local records = {}
  for seq, lease in pairs(known) do
    if lease and lease.changed then
      records[#records + 1], records[#records + 2] = Store.id(seq), save(lease)
    end
  end
  if #records > 0 then Store.writeAll('HSET', 'ls', records) end
  if #ended > 0 then Store.writeAll('HDEL', 'ls', ended) end
end

return Leases
