-- What a process sends: its contract and one step, as `wire.ts` writes them. Lists become tables with names. Of many heads or
-- settles that are alike only the first is written in full: two numbers are another head like the one before, by its id and how
-- long it has waited; a number alone is a lease of the ticket before that was answered, by which nothing else is said.
local input = {}

-- Contracts by their text, as long as this part lives; nothing is written to them.
local MOST_CONTRACTS = 100
local contracts, count = {}, 0

function input.contract(text)
  local contract = contracts[text]
  if contract then return contract end
  contract = cjson.decode(text)
  contract.sets = {}
  for _, template in ipairs(contract.templates) do contract.sets[template.set] = template end
  if count >= MOST_CONTRACTS then contracts, count = {}, 0 end
  contracts[text], count = contract, count + 1
  return contract
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

local function settleOf(list, tickets, before)
  if type(list) == 'number' then
    return { ticket = before.ticket, leaseId = list, ended = 'answered', health = 'alive', seen = NOTHING }
  end
  local refusal, retry = list[5], list[8]
  local settle = {
    ticket = tickets[list[1] + 1], leaseId = list[2], ended = list[3], health = list[4], trueCharges = orNil(list[6]),
    seen = NOTHING,
  }
  if refusal then settle.refusal = { limit = orNil(refusal[1]), waitUs = orNil(refusal[2]) } end
  if retry then settle.retry = { afterUs = retry[1], keepUs = retry[2] } end
  if #list[7] > 0 then settle.seen = {} end
  for i, seen in ipairs(list[7]) do
    settle.seen[i] = { limit = seen[1], remaining = orNil(seen[2]), resetInUs = orNil(seen[3]) }
  end
  return settle
end

function input.step(text)
  local step = cjson.decode(text)
  if step.inspect then return step end
  for i, ask in ipairs(step.asks) do step.asks[i] = askOf(ask, step.tickets) end
  for i, settle in ipairs(step.settles) do step.settles[i] = settleOf(settle, step.tickets, step.settles[i - 1]) end
  return step
end

return input
