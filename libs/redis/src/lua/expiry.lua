-- What a step does first: whose time is over goes.
local State = require('state')
local Store = require('store')

local Expiry = {}

-- Leases that have run out and end in one step: what a long outage leaves behind is cleared by several.
local ENDED_AT_ONCE = 200

-- Reads at once the stages that leases hold something of.
local function prefetch(leases)
  local keys = {}
  for _, lease in ipairs(leases) do
    for _, ref in ipairs(lease and lease.plan.refs or {}) do keys[#keys + 1] = ref[1] end
  end
  require('stages').prefetch(keys)
end

local function endLeases(now)
  local probe = require('probe')
  local leases, more = require('lease-times').expired(now, ENDED_AT_ONCE)
  if #leases > 1 then prefetch(leases) end
  for _, lease in ipairs(leases) do
    if lease then probe.expire(lease) end
  end
  State.backlog = more
end

local function dropWaiters(now, visits)
  local ids = {}
  for i, id in ipairs(Store.due('wx', now, visits)) do
    ids[i] = Store.numberOf(id)
  end
  for i, waiter in ipairs(require('waiters').all(ids)) do
    if waiter then require('lines').drop(waiter) else Store.write('ZREM', 'wx', Store.id(ids[i])) end
  end
end

-- `visits`: how much of each kind is looked at.
function Expiry.run(visits)
  local now, quietUntil = State.now, Store.quietUntil
  State.backlog = false
  if now >= quietUntil.lx then endLeases(now) end
  if now >= quietUntil.wx then dropWaiters(now, visits) end
  if now >= quietUntil.sx then require('prune')(now, visits) end
end

return Expiry
