-- Twin of memory/returns.ts.
local Leases = require('leases')
local Plans = require('plans')
local Store = require('store')

-- Leases that are looked at: what they do not show, the fallback finds.
local LOOKED_AT = 64

local returns = {}

-- By stage, when the permits that leases hold of it come back; as long as no lease is granted, moved or ended.
local known
local leases
local changes
require('fresh').each(function() known, leases, changes = {}, nil, nil end)

local function returnsOf(stage, before)
  if changes ~= Leases.changes then
    changes, known = Leases.changes, {}
    leases = require('lease-times').expiring('-inf', '(' .. Store.number(before), LOOKED_AT)
  end
  local dues = known[stage.no]
  if dues == nil then
    dues = {}
    for _, lease in ipairs(leases) do
      if lease and Plans.indexOf(lease.plan, stage) then dues[#dues + 1] = lease.due end
    end
    known[stage.no] = dues
  end
  return dues
end

-- When the `count`-th permit of a stage certainly comes back, by the expiry of leases; math.huge = not before `before`, which
-- is the same in all of a step.
function returns.permitsBack(stage, count, before)
  return returnsOf(stage, before)[count] or math.huge
end

return returns
