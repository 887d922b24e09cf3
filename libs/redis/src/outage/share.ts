/**
 * The part of a contract that one process may use by itself while the shared store is away. What all of them grant together
 * stays within every limit: bucket and permits are divided, windows and quotas are paced evenly, so that no two processes
 * spend the same window at once. A limit too small to be divided is left to one process.
 */
import type { ResolvedContract } from '../../../core/src/index.js';

type Limit = ResolvedContract['limits'][number];

const PERIOD_MS = { day: 86_400_000, month: 31 * 86_400_000 };

export interface Share {
  readonly contract: ResolvedContract;
  /** Indices of the limits of which nothing is left for this process. */
  readonly withheld: ReadonlySet<number>;
}

/** Of what a window holds, so much may be used at once; the rest comes evenly. Dearer calls fit, and the pace is hardly slower. */
const BURST_SHARE = 0.1;

/**
 * @param processes those that use the provider at the same time
 * @param chosen whether this process is the one that small limits are left to
 */
export function shareOf(contract: ResolvedContract, processes: number, chosen: boolean): Share {
  const withheld = new Set<number>();
  const whole = new Set<string>();
  const limits = contract.limits.map((limit, index) => {
    const part = partOf(contract, limit, processes);
    if (part !== null) return paced(contract, part);
    if (chosen) whole.add(limit.name);
    else withheld.add(index);
    return paced(contract, limit);
  });
  const { budget } = contract.retry;
  return {
    withheld,
    contract: {
      ...contract,
      limits,
      lanes: contract.lanes.map((lane) => ({
        ...lane,
        reserve: Object.fromEntries(
          Object.entries(lane.reserve).map(([name, kept]) => [name, whole.has(name) ? kept : kept / processes]),
        ),
        ceiling: lane.ceiling && { ...lane.ceiling, limit: lane.ceiling.limit / processes },
      })),
      retry: {
        ...contract.retry,
        budget: budget && { ...budget, floor: Math.floor(budget.floor / processes) },
      },
    },
  };
}

/** null = in so many parts it holds no call. */
function partOf(contract: ResolvedContract, limit: Limit, processes: number): Limit | null {
  if (processes <= 1) return limit;
  if (limit.kind === 'concurrency') {
    const part = Math.floor(limit.limit / processes);
    return part < 1 ? null : { ...limit, limit: part };
  }
  const call = costOfOne(contract, limit);
  if (limit.kind === 'token-bucket') {
    const burst = limit.burst / processes;
    return burst < call ? null : { ...limit, burst, limit: limit.limit / processes };
  }
  const part = limit.limit / processes;
  return part < 2 * call ? null : { ...limit, limit: part };
}

/** What a window or a period holds, spread evenly over it: what was used of it before is not known here. */
function paced(contract: ResolvedContract, limit: Limit): Limit {
  if (limit.kind === 'token-bucket' || limit.kind === 'concurrency') return limit;
  const burst = Math.max(costOfOne(contract, limit), limit.limit * BURST_SHARE);
  if (burst * 2 > limit.limit) return limit;
  const { name, unit, countedBy, routes, refusedCallsCount } = limit;
  return {
    name,
    unit,
    countedBy,
    routes,
    refusedCallsCount,
    kind: 'token-bucket',
    burst,
    limit: limit.limit - burst,
    perMs: limit.kind === 'quota' ? PERIOD_MS[limit.per] : limit.perMs,
  };
}

function costOfOne(contract: ResolvedContract, limit: Limit): number {
  return Math.max(1, contract.defaultUnits[limit.unit] ?? 1);
}
