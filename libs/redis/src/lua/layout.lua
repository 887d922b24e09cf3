-- Twin of memory/layout.ts, as far as it is not worked out by the process that asks: what a call charges each account.
local layout = {}

-- Positions of charges that are not among `head.charges`.
layout.CEILING_CHARGE = -1
layout.PERMIT_CHARGE = -2
-- Of an account that the contract did not know when the plan was made: it was charged nothing.
layout.NO_CHARGE = -3

function layout.chargeOf(head, position)
  if position >= 0 then return head.charges[position + 1] end
  if position == layout.NO_CHARGE or (position == layout.CEILING_CHARGE and head.kind ~= 'first') then return 0 end
  return 1
end

return layout
