-- One step of the shared gate: the twin of libs/core/src/gate/memory, part by part, under the same names. It decides the
-- same for the same history.
--
--   KEYS     as in store.lua, in its order
--   ARGV[1]  the contract
--   ARGV[2]  the step: see input.lua
--   ARGV[3]  the channel of hints: one per process follows it after a colon
--   ARGV[4]  'S' = hints go by the channels of a cluster's shards
--   ARGV[5]  the tickets that it names
--   ARGV[6]  only in tests: the time, in microseconds; the hints for others are answered then, too
--
-- Parts ask for one another by `require`; scripts/step-script.mjs joins them. A part is run when it is first asked for; what
-- it keeps it begins anew with each step (fresh.lua). Numbers are doubles and are never left to `tostring`; lists that are
-- packed have no holes: `false` stands for what is not there.
local Expiry = require('expiry')
local Processes = require('processes')
local State = require('state')
local Store = require('store')
local Stages = require('stages')
local fresh = require('fresh')
local input = require('input')

-- Lists of arguments like KEYS and ARGV.
return function(keys, argv)
  fresh.begin()
  Store.open(keys)
  local contract = input.contract(argv[1])
  local step = input.step(argv[2], argv[5])
  local given = argv[6]

  State.load(contract, step.process)
  State.channel, State.sharded = argv[3], argv[4] == 'S'
  State.moveTo(tonumber(given))

  local function answer(reply)
    return given and { reply, cmsgpack.pack(State.hints) } or reply
  end

  if step.inspect then return answer(require('view').reply()) end

  local stepNo = Processes.last()
  if stepNo == step.stepNo then return answer(State.lastReply()) end
  if stepNo and stepNo > step.stepNo then return answer(State.reply({})) end
  if not stepNo then Processes.join(step.process) end
  State.previous = stepNo or false
  -- Books that begin, or have lost what a process has seen, number on from the time: no lease of before has such a number.
  local first = given and 0 or math.floor(State.now / 10)
  if State.isNew then
    State.seq = first
    require('leases').begin()
  end
  if step.seenSeq > State.seq then State.seq = math.max(step.seenSeq, first) end

  local now = State.now
  Expiry.run(#step.asks + 16)
  for _, command in ipairs(step.commands) do require('commands')(command, now) end
  local settled = {}
  local leaseIds = step.leaseIds
  if #leaseIds > 1 then require('lease-times').prefetch(leaseIds) end
  for i, settle in ipairs(step.settles) do settled[i] = require('settle').one(settle, leaseIds[i], now) end
  if #step.asks == 1 then
    require('serve').one(step.asks[1], now)
  elseif #step.asks > 1 then
    require('serve-many')(step.asks, now)
  end
  local whole = Stages.whole()
  if #State.freed > 0 or whole.line.size > 0 then require('hints').give(whole, now) end

  local reply = State.reply(settled)
  Processes.save(step.process, step.stepNo, reply)
  if #State.hints > 0 then require('calls').publish() end
  State.saveAll()
  return answer(reply)
end
