-- What a process sends: its contract and one step, as `wire.ts` writes them. Lists become tables with names. Of many heads or
-- settles that are alike only the first is written in full: two numbers are another head like the one before, by its id and how
-- long it has waited; a number is a lease of the ticket before that was answered, by which nothing else is said, and one below
-- zero so many more of them, by the numbers that follow.
local input = {}

-- What comes again with step after step, by its text, as long as this part lives; nothing is written to it.
local MOST_KEPT = 200
local kept, count = {}, 0

local function decoded(text, prepare)
  local value = kept[text]
  if value then return value end
  value = cjson.decode(text)
  if prepare then prepare(value) end
  if count >= MOST_KEPT then kept, count = {}, 0 end
  kept[text], count = value, count + 1
  return value
end

local function nameSets(contract)
  contract.sets = {}
  for _, template in ipairs(contract.templates) do contract.sets[template.set] = template end
end

function input.contract(text)
  return decoded(text, nameSets)
end

local function orNil(value)
  if value == false then return nil end
  return value
end

local function headOf(list)
  return {
    id = list[1], waitedUs = list[2], charges = list[3], kind = list[4], safety = list[5], attemptUs = list[6],
    place = orNil(list[7]), observe = list[8],
  }
end

-- One that is like the head before it.
local function another(head, id, waitedUs)
  return {
    id = id, waitedUs = waitedUs, charges = head.charges, kind = head.kind, safety = head.safety, attemptUs = head.attemptUs,
    place = head.place, observe = head.observe,
  }
end

local function askOf(list, tickets)
  local heads, written = {}, list[4]
  local ask = { ticket = tickets[list[1] + 1], waiting = list[2], newestWaitedUs = list[3], heads = heads, isSafe = false }
  local head
  local i = 1
  while i <= #written do
    local one = written[i]
    if type(one) == 'table' then
      head = headOf(one)
      if head.safety ~= 'unkeyed' then ask.isSafe = true end
    else
      i = i + 1
      head = another(head, one, written[i])
    end
    heads[#heads + 1] = head
    i = i + 1
  end
  return ask
end

-- Of one that says nothing more.
local NOTHING = {}

local function settleOf(list, tickets)
  local refusal, retry = list[5], list[8]
  local settle = {
    ticket = tickets[list[1] + 1], ended = list[3], health = list[4], trueCharges = orNil(list[6]), seen = NOTHING,
  }
  if refusal then settle.refusal = { limit = orNil(refusal[1]), waitUs = orNil(refusal[2]) } end
  if retry then settle.retry = { afterUs = retry[1], keepUs = retry[2] } end
  if #list[7] > 0 then settle.seen = {} end
  for i, seen in ipairs(list[7]) do
    settle.seen[i] = { limit = seen[1], remaining = orNil(seen[2]), resetInUs = orNil(seen[3]) }
  end
  return settle
end

-- What is told of leases, and their ids, in turn.
local function settlesOf(written, tickets)
  local settles, ids = {}, {}
  local plain
  for i = 1, #written do
    local one = written[i]
    local n = #ids
    if type(one) == 'table' then
      settles[n + 1], ids[n + 1] = settleOf(one, tickets), one[2]
      plain = { ticket = settles[n + 1].ticket, ended = 'answered', health = 'alive', seen = NOTHING, isPlain = true }
    elseif one > 0 then
      settles[n + 1], ids[n + 1] = plain, one
    else
      local last = ids[n]
      for j = 1, -one do settles[n + j], ids[n + j] = plain, last + j end
    end
  end
  return settles, ids
end

-- Tickets that come by themselves come again; many of them hardly as they are.
local FEW_BYTES = 400

-- Process; of a step also its number, the highest sequence number seen, settles, asks and commands. A look has no number.
function input.step(text, named)
  local list = cjson.decode(text)
  local step = { process = list[1], stepNo = list[2], seenSeq = list[3], settles = list[4], asks = list[5], commands = list[6] }
  step.inspect = step.stepNo == nil
  if step.inspect then return step end
  local tickets = #named < FEW_BYTES and decoded(named) or cjson.decode(named)
  local asks = step.asks
  for i = 1, #asks do asks[i] = askOf(asks[i], tickets) end
  step.settles, step.leaseIds = settlesOf(step.settles, tickets)
  return step
end

return input
