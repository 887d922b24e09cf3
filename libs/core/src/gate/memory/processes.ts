import type { ResolvedContract, ResolvedLimit } from '../../contract/resolved.js';
import { configError } from '../../errors/config-error.js';

/**
 * A contract for one of `processes` that do not share their state: each may use its part of every limit.
 *
 * @throws SluiceError CONFIG when a limit is too small to be divided.
 */
export function partOf(contract: ResolvedContract, processes: number): ResolvedContract {
  if (processes === 1) return contract;
  const { budget } = contract.retry;
  return {
    ...contract,
    limits: contract.limits.map((limit) => partOfLimit(contract.name, limit, processes)),
    lanes: contract.lanes.map((lane) => ({
      ...lane,
      reserve: Object.fromEntries(Object.entries(lane.reserve).map(([name, one]) => [name, one / processes])),
      ceiling: lane.ceiling && { ...lane.ceiling, limit: lane.ceiling.limit / processes },
    })),
    retry: {
      ...contract.retry,
      budget: budget && { ...budget, floor: Math.floor(budget.floor / processes) },
    },
  };
}

function partOfLimit(provider: string, limit: ResolvedLimit, processes: number): ResolvedLimit {
  // What is counted in whole calls is rounded down: the parts together never exceed the limit.
  const bound = limit.kind === 'token-bucket' ? limit.burst : limit.limit;
  if (bound / processes < 1) {
    throw configError(
      provider,
      'memoryGate({ processes })',
      processes,
      `at most ${Math.floor(bound)}, which is all that limit "${limit.name}" can be divided into; processes that share a gate need no division`,
    );
  }
  if (limit.kind === 'token-bucket') {
    return { ...limit, burst: limit.burst / processes, limit: limit.limit / processes };
  }
  return { ...limit, limit: Math.floor(limit.limit / processes) };
}
