/** A provider in plain data: its true limits, and how its clients describe it. */
import {
  concurrency,
  defineProvider,
  type LaneOptions,
  type LimitOptions,
  type ProviderContract,
  slidingWindow,
  tokenBucket,
} from 'nestjs-sluice';
import type { SimulatedLimit, SimulatedRequest } from 'nestjs-sluice/testing';

interface Counted {
  readonly name: string;
  /** Default: one count for all. */
  readonly countedBy?: readonly Dimension[];
}

export type Dimension = 'user' | 'account';

export type LimitPlan =
  | (Counted & { readonly kind: 'token-bucket'; readonly burst: number; readonly perSecond: number })
  /** What the client takes for a window of an unknown kind. */
  | (Counted & {
      readonly kind: 'window';
      readonly limit: number;
      readonly perMs: number;
      readonly truly: 'sliding-window' | 'fixed-window';
    })
  | (Counted & { readonly kind: 'concurrency'; readonly limit: number });

export type LatencyPlan =
  | { readonly kind: 'same'; readonly ms: number }
  /** Heavy-tailed, between two bounds. */
  | { readonly kind: 'pareto'; readonly shape: number; readonly fromMs: number; readonly toMs: number };

export interface ProviderPlan {
  readonly name: string;
  readonly limits: readonly LimitPlan[];
  readonly lanes?: Readonly<Record<string, LaneOptions>>;
  /** Tenants are told apart and take turns; else who came first is first. */
  readonly tenants?: boolean;
  readonly latency?: LatencyPlan;
  /** Longest time an attempt may take. Default: 10 s. */
  readonly attemptMs?: number;
}

export const GUARD_MS = 25;
const DEFAULT_ATTEMPT_MS = 10_000;
/** Far above what any of the workloads keeps waiting. */
const ROOM = 100_000;

export function attemptMsOf(plan: ProviderPlan): number {
  return plan.attemptMs ?? DEFAULT_ATTEMPT_MS;
}

export function contractOf(plan: ProviderPlan, url: string): ProviderContract {
  return defineProvider({
    name: plan.name,
    http: { baseURL: url },
    dimensions: ['account', 'user'],
    limits: plan.limits.map(limitOf),
    ...(plan.lanes && { lanes: plan.lanes }),
    ...(plan.tenants && { tenants: {} }),
    guard: GUARD_MS,
    timeouts: { attempt: attemptMsOf(plan), total: '10m' },
    queue: { maxSize: ROOM, maxWait: '10m' },
  });
}

function limitOf(limit: LimitPlan): LimitOptions {
  const { name, countedBy = [] } = limit;
  switch (limit.kind) {
    case 'token-bucket':
      return tokenBucket({ name, countedBy, burst: limit.burst, ...perPeriod(limit.perSecond) });
    case 'window':
      return slidingWindow({ name, countedBy, limit: limit.limit, per: limit.perMs });
    case 'concurrency':
      return concurrency({ name, countedBy, limit: limit.limit });
  }
}

/** Whole numbers, as the simulator wants them. */
function perPeriod(perSecond: number): { limit: number; per: number } {
  return { limit: Math.round(perSecond * 10), per: 10_000 };
}

export function simulatedLimits(plan: ProviderPlan): SimulatedLimit[] {
  return plan.limits.map((limit): SimulatedLimit => {
    const { name, countedBy = [] } = limit;
    const common = {
      name,
      partition: (request: SimulatedRequest) => countedBy.map((by) => request.headers[`x-${by}`] ?? '').join(' '),
    };
    switch (limit.kind) {
      case 'token-bucket': {
        const { limit: calls, per } = perPeriod(limit.perSecond);
        return { ...common, kind: 'token-bucket', burst: limit.burst, limit: calls, perMs: per };
      }
      case 'window':
        return { ...common, kind: limit.truly, limit: limit.limit, perMs: limit.perMs };
      case 'concurrency':
        return { ...common, kind: 'concurrency', limit: limit.limit };
    }
  });
}
