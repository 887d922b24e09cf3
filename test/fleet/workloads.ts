/** What eight processes are put through. Each provider has every feature on; `tenants`: in fair order of tenants, else first come first. */
import type { LaneOptions } from 'nestjs-sluice';
import type { Load } from './loads.js';
import type { Mishap, Workload } from './world.js';

export const PROCESSES = 8;
const EACH_SECOND = '1s';

interface LanesOf {
  readonly perSecond: number;
  /** What the other lane may not touch, by limit. */
  readonly reserve?: Readonly<Record<string, number>>;
  /** Share of the rate that background has in any case. */
  readonly guarantee?: number;
  /** Share of the rate that background never exceeds. Default: out of reach, and judged all the same. */
  readonly ceiling?: number;
}

export function lanes({ perSecond, reserve, guarantee = 0.1, ceiling = 3 }: LanesOf): Record<string, LaneOptions> {
  return {
    interactive: { ...(reserve && { reserve }) },
    background: { guarantee, ceiling: { limit: Math.ceil(ceiling * perSecond), per: EACH_SECOND } },
  };
}

/** Tenants are told apart only where there are any. */
function named(tenants: boolean, tenant: string): string {
  return tenants ? tenant : '';
}

function atOnce(lane: string, tenant: string, calls: number): Load {
  return { lane, tenant, pattern: { kind: 'at-once', calls } };
}

function saturating(lane: string, tenant: string, waiting: number, forMs: number): Load {
  return { lane, tenant, pattern: { kind: 'saturating', waiting, forMs } };
}

export function poisson(lane: string, tenant: string, perSecond: number, forMs: number): Load {
  return { lane, tenant, pattern: { kind: 'poisson', perSecond: perSecond / PROCESSES, forMs } };
}

/** Lanes and tenants of a crowd that comes at once, in each process. */
function crowd(tenants: boolean, interactive: number, background: number): Load[] {
  const half = (calls: number) => [Math.ceil(calls / 2), Math.floor(calls / 2)] as const;
  const [few, rest] = half(interactive);
  const [many, others] = half(background);
  return [
    atOnce('interactive', named(tenants, 't1'), few),
    atOnce('interactive', named(tenants, 't2'), rest),
    atOnce('background', named(tenants, 't1'), many),
    atOnce('background', named(tenants, 't3'), others),
  ];
}

/** The case of the seed, twenty times as fast: 120 calls at once. */
export const W1 = { processes: 4, burst: 30, perSecond: 10, calls: 120, kept: 1 };

export function w1(tenants: boolean): Workload {
  const { burst, perSecond, calls, kept } = W1;
  return {
    processes: W1.processes,
    plan: {
      name: 'w1',
      limits: [{ kind: 'token-bucket', name: 'rate', burst, perSecond }],
      lanes: lanes({ perSecond, reserve: { rate: kept }, ceiling: 200 }),
      tenants,
    },
    // Half of them serve people, the others work in the background.
    loadsOf: (process) => [
      atOnce(
        process < W1.processes / 2 ? 'interactive' : 'background',
        named(tenants, `t${process % 2}`),
        calls / W1.processes,
      ),
    ],
  };
}

/** Background saturates, interactive calls come now and then. */
export const W2 = { burst: 50, perSecond: 50, interactive: 5, kept: 2, forMs: 30_000 };

export function w2(tenants: boolean): Workload {
  const { burst, perSecond, interactive, kept, forMs } = W2;
  return {
    processes: PROCESSES,
    plan: {
      name: 'w2',
      limits: [{ kind: 'token-bucket', name: 'rate', burst, perSecond }],
      lanes: lanes({ perSecond, reserve: { rate: kept }, ceiling: 1.2 }),
      tenants,
    },
    loadsOf: () => [
      poisson('interactive', named(tenants, 't1'), interactive, forMs),
      saturating('background', named(tenants, 't1'), 5, forMs),
      saturating('background', named(tenants, 't2'), 5, forMs),
    ],
  };
}

/** Nine quiet tenants and one that sends a hundred times as much as each of them. */
export const W3 = { burst: 20, perSecond: 40, quiet: 9, quietPerSecond: 0.5, loudPerSecond: 50, forMs: 30_000 };

export function w3(tenants: boolean): Workload {
  const { burst, perSecond, quiet, quietPerSecond, loudPerSecond, forMs } = W3;
  return {
    processes: PROCESSES,
    plan: {
      name: 'w3',
      limits: [{ kind: 'token-bucket', name: 'rate', burst, perSecond }],
      lanes: lanes({ perSecond, reserve: { rate: 2 } }),
      tenants,
    },
    loadsOf: () => [
      ...Array.from({ length: quiet }, (_, i) =>
        poisson('background', named(tenants, `quiet-${i}`), quietPerSecond, forMs),
      ),
      poisson('background', named(tenants, 'loud'), loudPerSecond, forMs),
    ],
  };
}

/** Few permits, answers that take heavy-tailed times, and two processes that are killed with permits in hand. */
export const W4 = { permits: 8, attemptMs: 6_500, killedAtMs: 20_000, forMs: 45_000, killed: [0, 1] };

export function w4(tenants: boolean): Workload {
  const { permits, attemptMs, killedAtMs, forMs, killed } = W4;
  return {
    processes: PROCESSES,
    plan: {
      name: 'w4',
      limits: [{ kind: 'concurrency', name: 'permits', limit: permits }],
      lanes: { interactive: { reserve: { permits: 1 } }, background: { ceiling: { limit: 200, per: EACH_SECOND } } },
      tenants,
      latency: { kind: 'pareto', shape: 1.1, fromMs: 100, toMs: 6_000 },
      attemptMs,
    },
    loadsOf: () => [
      saturating('interactive', named(tenants, 't1'), 1, forMs),
      saturating('background', named(tenants, 't2'), 2, forMs),
      saturating('background', named(tenants, 't3'), 2, forMs),
    ],
    mishaps: killed.map((process) => ({ process, atMs: killedAtMs, kind: 'killed' })),
  };
}

/** More is wanted than a few processes are given at a high rate. */
export const W5 = { processes: 2, burst: 120, perSecond: 1_200, kept: 2, forMs: 12_000 };

export function w5(tenants: boolean): Workload {
  const { processes, burst, perSecond, kept, forMs } = W5;
  return {
    processes,
    plan: {
      name: 'w5',
      limits: [{ kind: 'token-bucket', name: 'rate', burst, perSecond }],
      lanes: lanes({ perSecond, reserve: { rate: kept } }),
      tenants,
    },
    loadsOf: () => [
      saturating('interactive', named(tenants, 't1'), 4, forMs),
      saturating('background', named(tenants, 't1'), 60, forMs),
      saturating('background', named(tenants, 't2'), 60, forMs),
    ],
  };
}

/** So many in a window whose kind the client does not know. */
export const W6 = { limit: 60, perMs: 20_000, calls: 180 };

export function w6(tenants: boolean, truly: 'sliding-window' | 'fixed-window'): Workload {
  const { limit, perMs } = W6;
  return {
    processes: PROCESSES,
    plan: {
      name: 'w6',
      limits: [{ kind: 'window', name: 'window', limit, perMs, truly }],
      lanes: lanes({ perSecond: (limit / perMs) * 1_000, guarantee: 0.1, ceiling: 200 }),
      tenants,
    },
    loadsOf: (process) => [
      atOnce('interactive', named(tenants, 't1'), 8),
      atOnce('background', named(tenants, 't2'), process < 4 ? 15 : 14),
    ],
  };
}

/** Three in ten give up while they wait. */
export const W7 = { burst: 10, perSecond: 25, calls: 600, kept: 1 };

export function w7(tenants: boolean): Workload {
  const { burst, perSecond, calls, kept } = W7;
  const each = calls / PROCESSES;
  return {
    processes: PROCESSES,
    plan: {
      name: 'w7',
      limits: [{ kind: 'token-bucket', name: 'rate', burst, perSecond }],
      lanes: lanes({ perSecond, reserve: { rate: kept } }),
      tenants,
    },
    loadsOf: () =>
      crowd(tenants, Math.floor(each / 3), each - Math.floor(each / 3)).map((load) => ({
        ...load,
        leaving: { share: 0.3, withinMs: 12_000 },
      })),
  };
}

/** All idle, then 2,000 calls at once. */
export const W8 = { burst: 100, perSecond: 100, calls: 2_000, kept: 2 };

export function w8(tenants: boolean): Workload {
  const { burst, perSecond, kept } = W8;
  return {
    processes: PROCESSES,
    plan: {
      name: 'w8',
      limits: [{ kind: 'token-bucket', name: 'rate', burst, perSecond }],
      lanes: lanes({ perSecond, reserve: { rate: kept } }),
      tenants,
    },
    loadsOf: () => crowd(tenants, 100, 150),
  };
}

/** Two processes are killed, two others frozen for a while. */
export const W9 = { perSecond: 5, forMs: 60_000 };

export function w9(tenants: boolean, burst: number): Workload {
  const { perSecond, forMs } = W9;
  const mishaps: Mishap[] = [
    { process: 0, atMs: 20_000, kind: 'killed' },
    { process: 1, atMs: 20_000, kind: 'killed' },
    { process: 2, atMs: 40_000, kind: 'frozen', forMs: 3_000 },
    { process: 3, atMs: 40_000, kind: 'frozen', forMs: 3_000 },
  ];
  return {
    processes: PROCESSES,
    plan: {
      name: 'w9',
      limits: [{ kind: 'token-bucket', name: 'rate', burst, perSecond }],
      lanes: lanes({ perSecond, ...(burst > 1 && { reserve: { rate: 1 } }) }),
      tenants,
    },
    loadsOf: () => [
      saturating('interactive', named(tenants, 't1'), 1, forMs),
      saturating('background', named(tenants, 't1'), 2, forMs),
    ],
    mishaps,
  };
}

/** Evenly spread demand, below, at and above what there is. */
export const W11 = { burst: 50, perSecond: 50, forMs: 20_000 };

export function w11(tenants: boolean, wantedPerSecond: number): Workload {
  const { burst, perSecond, forMs } = W11;
  return {
    processes: PROCESSES,
    plan: {
      name: 'w11',
      limits: [{ kind: 'token-bucket', name: 'rate', burst, perSecond }],
      lanes: lanes({ perSecond, reserve: { rate: 2 } }),
      tenants,
    },
    loadsOf: () => [
      poisson('interactive', named(tenants, 't1'), wantedPerSecond / 4, forMs),
      poisson('background', named(tenants, 't1'), wantedPerSecond / 2, forMs),
      poisson('background', named(tenants, 't2'), wantedPerSecond / 4, forMs),
    ],
  };
}
