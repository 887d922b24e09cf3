local Stages = require('stages')
local Store = require('store')

-- Those that pause, or whose accounts the provider has shut, in the order in which they came into use; the whole provider is
-- not among them.
return function()
  local keys = Store.read('ZRANGEBYLEX', 'px', '-', '+')
  -- What this step has closed is not listed yet.
  for key, stage in pairs(Stages.known) do
    if stage and not stage.isListed then keys[#keys + 1] = key end
  end
  local stages = {}
  for _, key in ipairs(keys) do
    local stage = Stages.find(key)
    if stage and not stage.whole then stages[#stages + 1] = stage end
  end
  table.sort(stages, function(a, b) return a.no < b.no end)
  return stages
end
