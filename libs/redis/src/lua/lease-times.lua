-- Leases by their time, and many at once.
local Leases = require('leases')
local Store = require('store')

local times = {}

-- Reads at once what `Leases.get` is asked for by these ids.
function times.prefetch(ids)
  local seqs = {}
  for _, id in ipairs(ids) do
    if type(id) == 'number' then seqs[#seqs + 1] = id end
  end
  Leases.all(seqs)
end

local function named(ids)
  local seqs = {}
  for i, id in ipairs(ids) do seqs[i] = Store.numberOf(id) end
  local found = Leases.all(seqs)
  for i, lease in ipairs(found) do
    if not lease then
      Store.write('ZREM', 'lx', ids[i])
      -- Its record was lost, and nobody knows what it held: it could never be given back.
      Store.isBroken = true
    end
  end
  return found
end

-- Up to `count` leases that have expired, in the order of their expiry; and whether there are more.
function times.expired(now, count)
  Leases.flush()
  local ids = Store.due('lx', now, count + 1)
  local more = #ids > count
  if more then ids[#ids] = nil end
  return named(ids), more
end

-- Up to `count` leases that expire between two scores, as Redis writes them, in the order of their expiry.
function times.expiring(from, to, count)
  Leases.flush()
  return named(Store.read('ZRANGEBYSCORE', 'lx', from, to, 'LIMIT', 0, count))
end

-- Those granted after one and not answered, the first `count` of them.
function times.later(count)
  return times.expiring('-inf', '(+inf', count)
end

return times
