-- The part of memory/state.ts that tells tickets to ask again.
local State = require('state')

-- Tickets that are told of one event at once.
local CALLED_AT_ONCE = 64

local calls = {}

-- Tells who waits in a stage to ask again: the first 64.
function calls.all(stage)
  local Line = require('line')
  local called = 0
  for lane = 0, #stage.line.lanes - 1 do
    for entry in Line.entries(stage, lane) do
      if called >= CALLED_AT_ONCE then return end
      called = called + 1
      calls.one(entry.waiter)
    end
  end
end

-- Tells a ticket's process to ask again.
function calls.one(waiter)
  if waiter.processId ~= State.processId then
    State.hints[#State.hints + 1] = { waiter.processId, waiter.key }
    return
  end
  for _, key in ipairs(State.wake) do
    if key == waiter.key then return end
  end
  State.wake[#State.wake + 1] = waiter.key
end

-- Tells other processes which of their tickets should ask again: one message for each.
function calls.publish()
  local command = State.sharded and 'SPUBLISH' or 'PUBLISH'
  local keys = {}
  for _, hint in ipairs(State.hints) do
    local process, key = hint[1], hint[2]
    keys[process] = keys[process] or {}
    table.insert(keys[process], key)
  end
  for process, list in pairs(keys) do
    redis.call(command, State.channel .. ':' .. process, cmsgpack.pack(list))
  end
end

return calls
