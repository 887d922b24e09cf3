-- Twin of memory/view.ts: what an operator sees. What is idle is dropped first; no probe is used up.
local Expiry = require('expiry')
local State = require('state')
local Stages = require('stages')
local Store = require('store')

-- So much that is idle is dropped for a look.
local VISITS = 1000
-- So many waiters, and as many leases, are told apart by lane and tenant.
local TOLD_APART = 2000

local view = {}

local function accountsOf(whole)
  local accounts = {}
  for i, account in ipairs(whole.books) do
    accounts[i] = { account.limit, account:used(State.now), account.capacity }
  end
  return accounts
end

local function pausesOf(whole)
  local pauses = {}
  local stages = require('closed-stages')()
  stages[#stages + 1] = whole
  for _, stage in ipairs(stages) do
    local pause = stage.pause
    if pause.active then
      pauses[#pauses + 1] = { stage.key, pause.untilUs, pause.step, State.now - pause.beganAt }
    end
  end
  return pauses
end

local function breakerState()
  local breaker = State.breaker
  if not breaker then return 'off' end
  if breaker.state == 'closed' then return 'closed' end
  return breaker.probe and 'half-open' or 'open'
end

local function budgetOf()
  local budget = State.budget
  if not budget then return false end
  local firsts, retries = budget:ofLastMinute(State.now)
  return { firsts, retries, budget:placesHeld(State.now) }
end

-- Who waits and who is active, by lane and tenant.
local function linesOf()
  local Waiters = require('waiters')
  local lines, byName = {}, {}
  local function lineOf(plan)
    local name = string.format('%d|', plan.lane) .. plan.tenant
    local line = byName[name]
    if not line then
      line = { plan.lane, plan.tenant, 0, 0 }
      byName[name], lines[#lines + 1] = line, line
    end
    return line
  end
  local ids = Store.read('ZRANGE', 'wx', 0, TOLD_APART - 1)
  for i, id in ipairs(ids) do ids[i] = Store.numberOf(id) end
  for _, waiter in ipairs(Waiters.all(ids)) do
    if waiter then
      local line = lineOf(waiter.plan)
      line[3] = line[3] + waiter.calls
    end
  end
  for _, lease in ipairs(require('lease-times').later(TOLD_APART)) do
    if lease and not lease.settled then
      local line = lineOf(lease.plan)
      line[4] = line[4] + 1
    end
  end
  return lines
end

function view.reply()
  Expiry.run(VISITS)
  local whole = Stages.whole()
  require('hints').give(whole, State.now)
  if #State.hints > 0 then require('calls').publish() end
  State.saveAll()
  return cmsgpack.pack({
    Store.read('ZCARD', 'sx'), State.leases, Store.read('ZCARD', 'wx'), accountsOf(whole), pausesOf(whole),
    breakerState(), budgetOf(), linesOf(), require('processes').count(),
  })
end

return view
