import type { ContractReading } from '../reading/options.js';
import type { AuthOptions } from './auth-options.js';
import type { Mode, ProviderOptions } from './options.js';

interface ResolvedLimitCommon {
  /** Unique within the contract. */
  readonly name: string;
  readonly unit: string;
  /** In the order of the contract's dimensions. */
  readonly countedBy: readonly string[];
  /** Names of routes, sorted; null = every request. */
  readonly routes: readonly string[] | null;
  readonly refusedCallsCount: boolean;
}

/** A limit with every default filled in, `ourShare` applied, times in milliseconds. The guard J is not yet applied. */
export type ResolvedLimit =
  | (ResolvedLimitCommon & {
      readonly kind: 'token-bucket';
      readonly burst: number;
      readonly limit: number;
      readonly perMs: number;
    })
  | (ResolvedLimitCommon & { readonly kind: 'sliding-window'; readonly limit: number; readonly perMs: number })
  | (ResolvedLimitCommon & {
      readonly kind: 'fixed-window';
      readonly limit: number;
      readonly perMs: number;
      readonly align: 'clock' | 'unknown';
    })
  | (ResolvedLimitCommon & {
      readonly kind: 'concurrency';
      readonly limit: number;
      readonly worksAfterTimeoutMs: number;
    })
  | (ResolvedLimitCommon & {
      readonly kind: 'quota';
      readonly limit: number;
      readonly per: 'day' | 'month';
      readonly timeZone: string;
      /** Share of the quota kept for each lane, by lane index. */
      readonly reserveByLane: readonly number[];
      readonly volatile: boolean;
    });

export interface ResolvedLane {
  readonly name: string;
  /** 0 = most urgent. */
  readonly index: number;
  /** By limit name; only provider-wide token buckets and concurrency limits occur. */
  readonly reserve: Readonly<Record<string, number>>;
  readonly guarantee: number;
  readonly ceiling: { readonly limit: number; readonly perMs: number } | null;
  readonly maxQueued: number;
  readonly maxWaitMs: number;
  readonly mode: Mode;
}

export interface ResolvedRoute {
  readonly name: string;
  readonly method: string;
  readonly template: string;
}

/** A contract with every default filled in and every duration in milliseconds. Deeply frozen. */
export interface ResolvedContract {
  readonly name: string;
  readonly dimensions: readonly string[];
  readonly limits: readonly ResolvedLimit[];
  readonly routes: readonly ResolvedRoute[];
  readonly safe: readonly string[];
  readonly graphql: boolean;
  readonly lanes: readonly ResolvedLane[];
  /** Index of the lane of undecorated calls. */
  readonly defaultLane: number;
  readonly tenants: {
    readonly maxShare: number;
    readonly maxQueued: number;
    readonly weight: ((tenant: string) => number) | null;
  };
  readonly queue: { readonly maxSize: number; readonly maxWaitMs: number; readonly refuse: 'certain' | 'likely' };
  readonly timeouts: {
    readonly connectMs: number;
    readonly attemptMs: number;
    readonly bodyIdleMs: number;
    readonly totalMs: number;
  };
  readonly retry: {
    readonly maxAttempts: number;
    readonly throttledMaxAttempts: number;
    readonly baseDelayMs: number;
    readonly maxDelayMs: number;
    readonly maxWaitMs: number;
    readonly jitter: 'full' | 'none';
    readonly budget: {
      readonly ratio: number;
      readonly floor: number;
      readonly onSpent: 'wait' | 'dead-letter';
    } | null;
  };
  readonly pause: {
    readonly initialMs: number;
    readonly factor: number;
    readonly maxMs: number;
    readonly maxHintMs: number;
    /** null = none. */
    readonly maxGuessMs: number | null;
    readonly flushAfterMs: number;
  };
  readonly breaker: {
    readonly consecutiveFailures: number | null;
    readonly failureRate: { readonly share: number; readonly minVolume: number; readonly perMs: number } | null;
    readonly probeEveryMs: number;
    readonly whileOpen: 'refuse' | 'wait';
  } | null;
  readonly idempotency: {
    readonly header: string | null;
    readonly bodyField: string | null;
    readonly retentionMs: number;
    readonly accepts: readonly string[] | null;
  } | null;
  readonly reconcile: { readonly settleTimeMs: number };
  readonly demand: { readonly singleFlight: boolean; readonly requestReuse: boolean };
  readonly auth: AuthOptions | null;
  /** How the provider speaks: `reading` with the short forms in it. */
  readonly reading: ContractReading;
  readonly guardMs: number;
  readonly outage: 'local-share' | 'closed' | 'open';
  readonly mode: Mode;
  /** Cost of units that `units` does not name, for each unit that a limit counts. */
  readonly defaultUnits: Readonly<Record<string, number>>;
  /** What the user wrote: its functions (`units`, `settleUnits`, `beforeSend`) and `http` are taken from here. */
  readonly options: ProviderOptions;
}

/** What `defineProvider` gives: opaque to users but for its name. */
export interface ProviderContract {
  readonly name: string;
  /** @internal */
  readonly resolved: ResolvedContract;
}
