-- What the accounts of each set are called, under this contract and under others whose leases and waiters are met.
local State = require('state')
local Store = require('store')

-- By structure.
local known
require('fresh').each(function() known = {} end)

-- `FIELD`: how the field of a structure begins in `h`.
local layouts = { FIELD = 'layout:' }

-- Names of the accounts of each set.
function layouts.now()
  local layout = {}
  for set, template in pairs(State.contract.sets) do
    layout[set] = {}
    for j, settings in ipairs(template.books) do layout[set][j] = settings.name end
  end
  return layout
end

-- The same of another structure that was in use; empty where it is not known.
function layouts.of(structure)
  local layout = known[structure]
  if layout == nil then
    layout = Store.read('HGET', 'h', layouts.FIELD .. structure)
    layout = layout and cmsgpack.unpack(layout) or {}
    known[structure] = layout
  end
  return layout
end

return layouts
