-- Twin of memory/state.ts: what the gate of one provider knows beside stages, tickets and leases, and the reply that the
-- step under way gathers. Where the twin keeps a reference to a stage, its number stands here.
local BareRetries = require('bare-retries')
local Store = require('store')

-- Keys that last are renewed so often while they live.
local RENEWALS = 8

-- Fields of `h`: the stage of the whole provider, and what each process was told last.
local WHOLE = '*'
local PROCESS, REPLY = 'process:', 'reply:'

-- Of what stands in `state`: its numbers, whether lines are fair, the structure. The sets of `extras` follow, where there are any.
local RECORD = '<' .. string.rep('d', 16) .. 'BBc0'

local State = {}

require('fresh').each(function()
  State.now = 0
  -- As they stand in `h`; false = there is none.
  State.wholeRecord, State.wholeChanged = false, false
  State.processRecord, State.processChanged, State.replied = false, false, false
  -- The clock of Redis when it was last looked at.
  State.time = math.huge
  State.seq = 0
  -- When all of this began: another moment than before tells a process that what it knew of is lost.
  State.born = 0
  -- The last step of this process that was known before this one; false = none.
  State.previous = false
  -- When the times to live of keys that last were renewed.
  State.renewedAt = 0
  -- How many processes take part, and when they were counted.
  State.processes = 0
  State.countedAt = 0
  -- Tenants take part: the lines are in fair order.
  State.fair = false
  -- Numbers of stages and of tickets, as they are given out.
  State.stageNo = 0
  State.waiterNo = 0
  -- How many tickets wait.
  State.waiting = 0
  -- How many leases there are; and whether there have been some all through the step.
  State.leases, State.hadLeases = 0, false
  -- Leases that have run out are left: what they hold is not free yet.
  State.backlog = false
  -- Sets that no limit is counted by, which an operator has paused: newest first.
  State.extras = {}
  -- How often such a set has come up: plans of before lead through too few stages.
  State.version = 0
  State.contract = nil
  -- Where hints go: one channel for each process follows it after a colon; and whether by those of a cluster's shards.
  State.channel, State.sharded = '', false
  State.processId = ''
  State.freed = {}
  State.hints = {}
  State.grants = {}
  -- To which ticket, and until when, the last of them was, where another is told in short: see wire-reply.ts.
  State.grantedTo, State.grantedUntil = nil, 0
  State.waits = {}
  State.denials = {}
  State.changes = {}
  State.wake = {}
  State.isNew, State.structure = nil, nil
  -- Nil where the contract has none.
  State.breaker, State.budget, State.claims = nil, nil, nil
end)

local function unpacked(saved)
  return saved and cmsgpack.unpack(saved) or nil
end

function State.load(contract, processId)
  State.contract = contract
  State.processId = processId
  local saved, breaker, budget, claims
  saved, breaker, budget, claims, State.wholeRecord, State.processRecord =
    unpack(Store.read('HMGET', 'h', 'state', 'breaker', 'budget', 'claims', WHOLE, PROCESS .. processId))
  State.isNew = not saved
  if saved then
    local quiet, fair, behind = Store.quietUntil, nil, nil
    State.now, State.time, State.seq, State.born, State.stageNo, State.waiterNo, BareRetries.count, State.version,
      State.renewedAt, State.processes, State.countedAt, State.waiting, State.leases, quiet.lx, quiet.wx, quiet.sx,
      fair, State.structure, behind = struct.unpack(RECORD, saved)
    State.fair = fair == 1
    State.hadLeases = State.leases > 0
    if behind <= #saved then State.extras = cmsgpack.unpack(saved:sub(behind)) end
  else
    -- What was lost may have left some.
    State.waiting = Store.read('ZCARD', 'wx')
  end
  if contract.breaker then State.breaker = require('breaker').load(unpacked(breaker), contract.breaker) end
  if contract.budget then State.budget = require('budget').load(unpacked(budget), contract.budget) end
  if contract.guarantees then State.claims = require('guarantee').load(unpacked(claims), contract.guarantees) end
end

-- The gate's time never goes back. `given`: only in tests.
function State.moveTo(given)
  local time = given
  if not time then
    local seconds, micros = unpack(redis.call('TIME'))
    time = tonumber(seconds) * 1000000 + tonumber(micros)
  end
  if time > State.now then
    State.now = time
  elseif time > State.time then
    -- The clock was set back, or another machine's has taken over. To stand still until it has caught up would hold all up
    -- for as long; at half its pace nothing is granted too early, and both meet.
    State.now = State.now + math.floor((time - State.time) / 2)
  end
  State.time = time
  if State.isNew then State.born = State.now end
end

-- What the process is told. `settled`: in the order of its settles.
function State.reply(settled)
  return cmsgpack.pack({
    State.now, State.seq, State.grants, State.waits, State.denials, settled, State.changes, State.wake,
    require('processes').count(), State.born, State.previous,
  })
end

function State.saveAll()
  require('leases').saveAll()
  if State.waiting > 0 then require('waiters').saveAll() end
  require('stages').saveAll(State.now)
  local ttlMs = State.contract.ttlMs
  -- Another contract may have given them less time than this one wants.
  local isFresh = State.now - State.renewedAt < ttlMs * 1000 / RENEWALS and not require('stages').whole().isRefitted
  if not isFresh then State.renewedAt = State.now end
  State.save()
  Store.renew(ttlMs, isFresh, State.hadLeases)
  if Store.isBroken then Store.close() end
end

-- These of `h` are written with the rest of it.
function State.keepWhole(record)
  State.wholeRecord, State.wholeChanged = record, true
end

function State.keepProcess(record, reply)
  State.processRecord, State.processChanged, State.replied = record, true, reply
end

-- What this process was told last.
function State.lastReply()
  return Store.read('HGET', 'h', REPLY .. State.processId)
end

function State.forgetProcesses(ids)
  local fields = {}
  for i, id in ipairs(ids) do fields[2 * i - 1], fields[2 * i] = PROCESS .. id, REPLY .. id end
  Store.write('HDEL', 'h', unpack(fields))
end

function State.save()
  local quiet, structure = Store.quietUntil, State.contract.structure
  local state = struct.pack(
    RECORD, State.now, State.time, State.seq, State.born, State.stageNo, State.waiterNo, BareRetries.count, State.version,
    State.renewedAt, State.processes, State.countedAt, State.waiting, State.leases, quiet.lx, quiet.wx, quiet.sx,
    State.fair and 1 or 0, #structure, structure
  )
  if #State.extras > 0 then state = state .. cmsgpack.pack(State.extras) end
  local values = { 'state', state }
  local function add(field, value)
    values[#values + 1] = field
    values[#values + 1] = value
  end
  if State.wholeChanged then add(WHOLE, State.wholeRecord) end
  if State.processChanged then
    add(PROCESS .. State.processId, State.processRecord)
    add(REPLY .. State.processId, State.replied)
  end
  if structure ~= State.structure then
    local layouts = require('layouts')
    add(layouts.FIELD .. structure, cmsgpack.pack(layouts.now()))
  end
  for _, name in ipairs({ 'breaker', 'budget', 'claims' }) do
    local one = State[name]
    if one and one.changed then add(name, cmsgpack.pack(one:save())) end
  end
  Store.write('HSET', 'h', unpack(values))
end

-- Something of these stages became free: who waits there may be told.
function State.free(stage)
  if stage.line.size == 0 or stage.whole or stage.isFreed then return end
  stage.isFreed = true
  State.freed[#State.freed + 1] = stage
end

function State.change(...)
  State.changes[#State.changes + 1] = { ... }
end

return State
