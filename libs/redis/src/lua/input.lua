-- What a process sends: its contract and one step, as `wire.ts` writes them. Lists become tables with names.
local input = {}

function input.contract(text)
  local contract = cjson.decode(text)
  contract.sets = {}
  for _, template in ipairs(contract.templates) do contract.sets[template.set] = template end
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

local function askOf(list, tickets)
  local ask = { ticket = tickets[list[1] + 1], waiting = list[2], newestWaitedUs = list[3], heads = {}, isSafe = false }
  for i, head in ipairs(list[4]) do
    ask.heads[i] = headOf(head)
    if ask.heads[i].safety ~= 'unkeyed' then ask.isSafe = true end
  end
  return ask
end

local function settleOf(list, tickets)
  local refusal, retry = list[5], list[8]
  local settle = {
    ticket = tickets[list[1] + 1], leaseId = list[2], ended = list[3], health = list[4], trueCharges = orNil(list[6]),
    seen = {},
  }
  if refusal then settle.refusal = { limit = orNil(refusal[1]), waitUs = orNil(refusal[2]) } end
  if retry then settle.retry = { afterUs = retry[1], keepUs = retry[2] } end
  for i, seen in ipairs(list[7]) do
    settle.seen[i] = { limit = seen[1], remaining = orNil(seen[2]), resetInUs = orNil(seen[3]) }
  end
  return settle
end

function input.step(text)
  local step = cjson.decode(text)
  if step.inspect then return step end
  for i, ask in ipairs(step.asks) do step.asks[i] = askOf(ask, step.tickets) end
  for i, settle in ipairs(step.settles) do step.settles[i] = settleOf(settle, step.tickets) end
  return step
end

return input
