-- The processes that use the gate, and what each was told last: a step that comes again is answered again, and does nothing.
local State = require('state')
local Store = require('store')

-- A process that has been silent for so long is forgotten.
local KEPT_US = 3600000000
-- So many of them a step forgets at most.
local AT_ONCE = 16

-- One that took a step within this time lives.
local LIVES_US = 60000000

-- That one was seen is written, and they are counted, so often.
local SEEN_EVERY_US = 1000000

local Processes = {}

-- When the process whose step this is was seen, as far as it is written.
local seenAt
require('fresh').each(function() seenAt = 0 end)

-- Number of its last step, and when it was seen.
local RECORD = '<dd'

-- The number of its last step; nil = it is not known.
function Processes.last()
  local saved = State.processRecord
  if not saved then return nil end
  local stepNo
  stepNo, seenAt = struct.unpack(RECORD, saved)
  return stepNo
end

function Processes.save(processId, stepNo, reply)
  if State.now - seenAt >= SEEN_EVERY_US then
    seenAt = State.now
    Store.write('ZADD', 'pl', Store.number(seenAt), processId)
  end
  State.keepProcess(struct.pack(RECORD, stepNo, seenAt), reply)
end

-- A new one has come. It counts from its first step on: in an outage that follows the others share with it. Room is made.
function Processes.join(processId)
  State.countedAt, seenAt = 0, State.now
  Store.write('ZADD', 'pl', Store.number(seenAt), processId)
  local horizon = '(' .. Store.number(State.now - KEPT_US)
  local silent = Store.read('ZRANGEBYSCORE', 'pl', '-inf', horizon, 'LIMIT', 0, AT_ONCE)
  if #silent == 0 then return end
  Store.write('ZREM', 'pl', unpack(silent))
  State.forgetProcesses(silent)
end

-- How many take part, as far as is known before this step is saved.
function Processes.count()
  if State.now - State.countedAt >= SEEN_EVERY_US then
    State.countedAt = State.now
    State.processes = Store.read('ZCOUNT', 'pl', Store.number(State.now - LIVES_US), '+inf')
  end
  return State.processes
end

return Processes
