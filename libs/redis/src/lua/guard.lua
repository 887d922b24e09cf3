-- Twin of libs/core/src/gate/guard.ts: what the gate itself grants, so that a provider who counts arrivals up to J later
-- never refuses. Rates are per microsecond.
local guard = {}

-- Capacity, rate, and whether only one call goes at a time.
-- `dearest`: most that one call has to find free; `equal`: every call costs the same.
function guard.guardBucket(burst, rate, guardUs, dearest, equal)
  local roomy = burst - rate * guardUs
  if roomy >= dearest and roomy > 0 then return roomy, rate, false end
  if equal then
    -- k + 1 grants span k / r', so k + 1 arrivals span at least k / r' - J.
    local paced = (rate * burst) / (dearest + rate * guardUs)
    return dearest, math.min(rate, paced), false
  end
  if burst > dearest then return dearest, math.min(rate, (burst - dearest) / guardUs), false end
  return dearest, rate, true
end

-- What must be held back when a bucket in use changes to other numbers: an interval may lie across the change.
function guard.guardDebt(burst, rate, guardUs, capacity)
  return math.max(0, capacity + rate * guardUs - burst)
end

return guard
