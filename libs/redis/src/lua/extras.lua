-- The part of memory/stages.ts for sets that no limit is counted by.
local State = require('state')
local Stages = require('stages')

local extras = {}

-- A set that no limit is counted by becomes a stage that only pauses.
function extras.ofPartition(dimensions, partition, now)
  if #dimensions == 0 then return Stages.whole() end
  local set = table.concat(dimensions, '&')
  if not State.contract.sets[set] then
    local isKnown = false
    for _, extra in ipairs(State.extras) do isKnown = isKnown or extra.set == set end
    if not isKnown then
      table.insert(State.extras, 1, { set = set, dimensions = dimensions })
      State.version = State.version + 1
    end
  end
  return Stages.named(extras.keyOf({ dimensions = dimensions }, partition), set, now)
end

-- The stage of such a set that a ticket crosses; nil = it does not.
function extras.keyOf(extra, partition)
  local parts = {}
  for i, dimension in ipairs(extra.dimensions) do
    if not partition[dimension] then return nil end
    parts[i] = dimension .. '=' .. partition[dimension]
  end
  return table.concat(parts, '&')
end

return extras
