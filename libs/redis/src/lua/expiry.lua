-- What a step does first: whose time is over goes.
local State = require('state')
local Store = require('store')

local Expiry = {}

local function endLeases(now, visits)
  local times, probe = require('lease-times'), require('probe')
  local leases = times.expired(now, visits)
  while #leases > 0 do
    for _, lease in ipairs(leases) do
      if lease then probe.expire(lease) end
    end
    leases = times.expired(now, visits)
  end
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

-- `visits`: how much of each kind is looked at; leases that have run out end in any case.
function Expiry.run(visits)
  local now, quietUntil = State.now, Store.quietUntil
  if now >= quietUntil.lx then endLeases(now, visits) end
  if now >= quietUntil.wx then dropWaiters(now, visits) end
  if now >= quietUntil.sx then require('prune')(now, visits) end
end

return Expiry
