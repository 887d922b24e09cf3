-- Twin of the class Lease in memory/model.ts, and of what keeps it: the right to one attempt, and what it holds until it ends.
local Plans = require('plans')
local State = require('state')
local Store = require('store')

local Leases = {
  -- Counts what happens to them.
  changes = 0,
}

-- By sequence number; false = there is none.
local known = {}

-- Ids of those that ended in this step: they are taken out at once, and after the new ones are in, so that no key is made anew
-- in every step.
local ended, ranOut = {}, {}

function Leases.new(plan, head, now, due)
  State.leases = State.leases + 1
  local lease = {
    seq = State.seq, plan = plan, charges = head.charges, kind = head.kind, lane = plan.lane, grantedAt = now, due = due,
    -- Settled; what it holds of permits it keeps until `due`.
    settled = false,
    -- It is the probe of a stage's pause or of the breaker.
    probe = false,
    changed = true, isMoved = true,
  }
  known[lease.seq] = lease
  Leases.changes = Leases.changes + 1
  return lease
end

local function load(saved)
  local lease, plan = {}, nil
  lease.seq, plan, lease.charges, lease.kind, lease.grantedAt, lease.due, lease.settled, lease.probe =
    unpack(cmsgpack.unpack(saved))
  lease.plan = Plans.load(plan)
  lease.lane = lease.plan.lane
  return lease
end

local function save(lease)
  return cmsgpack.pack({
    lease.seq, Plans.save(lease.plan), lease.charges, lease.kind, lease.grantedAt, lease.due, lease.settled, lease.probe,
  })
end

-- The leases of these sequence numbers, each once read; false where there is none.
function Leases.all(seqs)
  local missing = {}
  for _, seq in ipairs(seqs) do
    if known[seq] == nil then missing[#missing + 1] = Store.id(seq) end
  end
  if #missing > 0 then
    for i, saved in ipairs(Store.read('HMGET', 'ls', unpack(missing))) do
      known[Store.numberOf(missing[i])] = saved and load(saved)
    end
  end
  local found = {}
  for i, seq in ipairs(seqs) do found[i] = known[seq] end
  return found
end

-- One that has not been settled.
function Leases.get(id)
  if type(id) ~= 'number' then return nil end
  local lease = Leases.all({ id })[1]
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

-- Writes those that are new or have moved, and takes out those that ended, so that they can be looked for by their time.
function Leases.flush()
  local dues = {}
  for seq, lease in pairs(known) do
    if lease and lease.isMoved then
      lease.isMoved = false
      dues[#dues + 1], dues[#dues + 2] = lease.due, Store.id(seq)
    end
  end
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
