-- Twin of books/edge-learner.ts: where the windows of a provider begin, from its reset times. The edge lies in what all the
-- reported intervals share. A learner is a table with `low` and `high`: the bounds of that; math.huge = nothing was heard.
local book = require('books/book')

local RESET_ROUNDING_US, RESET_LATE_US = book.RESET_ROUNDING_US, book.RESET_LATE_US

-- Known once the edge lies within so much.
local KNOWN_WITHIN_US = 2000000

local edgeLearner = {}

local function known(learner)
  return learner.high - learner.low < KNOWN_WITHIN_US
end
edgeLearner.known = known

-- A moment at which a window begins, and how far the true edge may lie from it, on either side.
function edgeLearner.phase(learner)
  return (learner.low + learner.high) / 2, (learner.high - learner.low) / 2
end

-- An answer that was read now told of a reset at `edge`. True when that changed what is known.
function edgeLearner.see(learner, edge, length, guardUs)
  -- The answer was written up to J before it was read.
  local low = edge - RESET_LATE_US - guardUs
  local high = edge + RESET_ROUNDING_US
  if learner.high == math.huge then
    learner.low, learner.high = low, high
    return known(learner)
  end
  local shift = math.floor((edgeLearner.phase(learner) - edge) / length + 0.5) * length
  low, high = low + shift, high + shift
  local before = known(learner)
  local sharedLow, sharedHigh = math.max(low, learner.low), math.min(high, learner.high)
  local changed = sharedLow ~= learner.low or sharedHigh ~= learner.high
  if sharedLow < sharedHigh then
    learner.low, learner.high = sharedLow, sharedHigh
  else
    -- They share nothing: the windows have moved, or the figures are not what they seemed. Begin anew.
    learner.low, learner.high = low, high
  end
  return changed and (before or known(learner))
end

return edgeLearner
