-- Twin of memory/bare-retries.ts: retries that wait without a place in the budget. What becomes free there is theirs before a
-- newcomer's.
local BareRetries = {}

require('fresh').each(function() BareRetries.count = 0 end)

local function set(waiter, bare)
  if bare == waiter.bare then return end
  BareRetries.count = BareRetries.count + bare - waiter.bare
  waiter.bare = bare
  waiter.changed = true
end

-- Counts those that a ticket shows.
function BareRetries.note(waiter, budget, now)
  if not budget then return end
  local bare = 0
  for _, head in ipairs(waiter.heads) do
    if head.kind == 'retry' and not budget:holds(now, head.place) then bare = bare + 1 end
  end
  set(waiter, bare)
end

function BareRetries.forget(waiter)
  set(waiter, 0)
end

return BareRetries
