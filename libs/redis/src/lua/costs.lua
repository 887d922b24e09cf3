-- What the first call of a ticket costs in the accounts of each stage, as it is kept with the ticket: who stands behind it wants to
-- know no more of it. That of many tickets is the same, and is worked out once in a step.
local State = require('state')
local chargeOf = require('layout').chargeOf

local Costs = {}

-- By text.
local known
require('fresh').each(function() known = {} end)

-- With all that decides on it. Empty = there is no first call.
function Costs.textOf(plan, head)
  if not head then return '' end
  local positions = {}
  for i, ref in ipairs(plan.refs) do positions[i] = ref[3] end
  return cmsgpack.pack({ State.contract.structure, head.kind, head.charges, positions })
end

local function read(text)
  local structure, kind, charges, positions = unpack(cmsgpack.unpack(text))
  local isOurs = structure == State.contract.structure
  return { isOurs = isOurs, head = { kind = kind, charges = charges }, positions = positions, charges = {} }
end

-- What each account of a stage is charged; nil = the ticket has to be read whole: more of it is known already, it shows no call,
-- or it was kept under a contract of another structure.
function Costs.chargesIn(waiter, stage)
  local text = rawget(waiter, 'costs')
  if not text or text == '' then return nil end
  local one = known[text]
  if not one then
    one = read(text)
    known[text] = one
  end
  if not one.isOurs then return nil end
  local index = waiter:indexIn(stage)
  local charges = one.charges[index]
  if charges and #charges == #stage.books then return charges end
  charges = {}
  for j = 1, #stage.books do charges[j] = chargeOf(one.head, one.positions[index][j]) end
  one.charges[index] = charges
  return charges
end

return Costs
