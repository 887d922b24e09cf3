-- The part of memory/settle.ts that hears what the provider says is left.
local Plans = require('plans')
local State = require('state')
local book = require('books/book')
local chargeOf = require('layout').chargeOf

-- Leases looked through for what was granted after an answer's own attempt.
local LATER_SCAN = 1024

-- What was charged to an account by attempts that reach the provider after this one for certain, and are not yet answered: of
-- those granted within the guard of one another nobody knows which comes first, and the figure may hold them.
local function grantedLater(lease, stage, j, from)
  local sum = 0
  for _, other in ipairs(require('lease-times').later(LATER_SCAN)) do
    local isLater = other and other.seq > lease.seq and not other.settled and other.grantedAt >= from
    local at = isLater and Plans.indexOf(other.plan, stage)
    if at then sum = sum + chargeOf(other, other.plan.refs[at][3][j]) end
  end
  return sum
end

-- Nothing is left for longer than this limit's own window can last: a longer one is spent, and nothing may start until its
-- reset.
local function shut(account, resetInUs, now)
  if resetInUs <= account:longestResetUs(now) + book.RESET_ROUNDING_US + State.contract.guardUs then return false end
  local untilUs = now + math.min(resetInUs, State.contract.maxHintUs)
  if untilUs <= account.shutUntil then return false end
  account.shutUntil = untilUs
  account.changed = true
  return true
end

-- The provider's own figures can only slow us down: they are often cached, or of one of many counters.
return function(lease, seen, now)
  local index = Plans.stageOf(lease.plan, seen.limit)
  if not index then return end
  local stage = Plans.live(lease.plan, index, now)
  local j
  for at, account in ipairs(stage.books) do
    if account.limit == seen.limit then j = at end
  end
  if not j then return end
  local account = stage.books[j]
  local laterFrom = lease.grantedAt + State.contract.guardUs
  local later = seen.remaining and grantedLater(lease, stage, j, laterFrom) or 0
  local applied = account:lower(now, seen.remaining or math.huge, later, seen.resetInUs, lease.grantedAt, laterFrom)
  if seen.remaining == 0 and seen.resetInUs and shut(account, seen.resetInUs, now) then
    require('grant').rejudge(stage, now)
    applied = true
  end
  if account.takeContradiction and account:takeContradiction() then State.change('edges-contradicted', seen.limit) end
  State.change('quota-seen', seen.limit, seen.remaining or false, applied)
end
