/** Calls of many partitions, each with a limit of its own: see workloads.ts. */
import { lanes, poisson, PROCESSES } from './workloads.js';
import type { Workload } from './world.js';

/** 2,000 users of 50 accounts, few of them often, each with a limit of its own, within those of the whole provider. */
export const PARTITIONS = { burst: 200, perSecond: 200, forMs: 20_000 };

export function partitions(tenants: boolean, wantedPerSecond: number, accounts: boolean): Workload {
  const { burst, perSecond, forMs } = PARTITIONS;
  const users = { count: 2_000, accounts: 50, tenants: tenants ? 10 : 0 };
  return {
    processes: PROCESSES,
    plan: {
      name: 'partitions',
      limits: [
        { kind: 'token-bucket', name: 'user', burst: 5, perSecond: 1, countedBy: ['user'] },
        ...(accounts
          ? [{ kind: 'token-bucket', name: 'account', burst: 10, perSecond: 6, countedBy: ['account'] } as const]
          : []),
        { kind: 'token-bucket', name: 'rate', burst, perSecond },
        { kind: 'concurrency', name: 'permits', limit: 40 },
      ],
      lanes: lanes({ perSecond, reserve: { rate: 2, permits: 2 } }),
      tenants,
      latency: { kind: 'same', ms: 50 },
    },
    loadsOf: () => [
      { ...poisson('interactive', '', wantedPerSecond * 0.1, forMs), users },
      { ...poisson('background', '', wantedPerSecond * 0.9, forMs), users },
    ],
  };
}
