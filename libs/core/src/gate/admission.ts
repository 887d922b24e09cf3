/** What the rest of the module sees of the gate: ask for a permit, settle it. One object per provider and application. */
import type { GateView } from './gate-view.js';
import type { ResolvedContract } from '../contract/resolved.js';
import type { AttemptKind, Partition, Safety, Units } from '../model/outcome.js';
import type { LeaseId, SettleEnd, WaitCause } from './port.js';

export interface AdmissionRequest {
  /** Index of the lane. */
  readonly lane: number;
  /** '' = none. */
  readonly tenant: string;
  /** Raw values; they are hashed before they reach a key. */
  readonly partition: Partition;
  /** Name of the matched route, or null. */
  readonly route: string | null;
  readonly units: Units;
  readonly kind: AttemptKind;
  readonly safety: Safety;
  /** Longest time the attempt may take: its permit lasts as long. */
  readonly attemptMs: number;
  /** Time that must be left at the start for the attempt to make sense. */
  readonly needMs: number;
  /** Moment (monotonic ms) after which nothing starts any more. */
  readonly deadlineMono: number;
  /** Longest wait in line. */
  readonly maxWaitMs: number;
  readonly place: string | null;
  /**
   * When the call asked for the first time (monotonic ms), where it asks again: a retry, a repeat, a followed redirect or one
   * whose grant was not used stands in line by it, not behind those who came later. Default: it came now.
   */
  readonly arrivedMono?: number;
  readonly observe: boolean;
  readonly signal?: AbortSignal;
}

export interface Settlement {
  readonly end: SettleEnd;
  readonly health: 'alive' | 'failure' | 'none';
  readonly refusal: { readonly limitName: string | null; readonly waitMs: number | null } | null;
  readonly trueUnits: Units | null;
  readonly seen: readonly {
    readonly limitName: string;
    readonly remaining: number | null;
    readonly resetInMs: number | null;
  }[];
}

/** The right to start one attempt. It ends exactly once; a second ending does nothing and is reported. */
export interface Permit {
  readonly leaseId: LeaseId;
  readonly grantedMono: number;
  readonly waitedMs: number;
  /** What it waited for, longest first. */
  readonly waitedFor: readonly { readonly cause: WaitCause; readonly limitName: string | null; readonly ms: number }[];
  readonly probe: boolean;
  /** It is the breaker's probe. */
  readonly probesBreaker: boolean;
  /** Only for observed calls. */
  readonly shadow: {
    readonly cause: WaitCause;
    readonly limitName: string | null;
    readonly waitMs: number | null;
  } | null;
  settle(settlement: Settlement): void;
  /**
   * Settles, and asks for a place in the retry budget for a retry that comes in `afterMs` and then stands in line for at
   * most `keepMs`. Null = the budget is spent.
   */
  settleForRetry(settlement: Settlement, afterMs: number, keepMs: number): Promise<string | null>;
}

export interface AdmissionView {
  readonly gate: GateView;
  readonly waiting: number;
  /** Age of the oldest waiting call, in ms; null = none waits. */
  readonly oldestMs: number | null;
  readonly waitingByLane: Readonly<Record<string, number>>;
  readonly active: number;
}

export interface Admission {
  /**
   * Resolves with a permit as soon as the gate grants it (at once, without a promise, where it can).
   *
   * @throws SluiceError QUEUE_FULL, QUEUE_WAIT_EXCEEDED, DEADLINE_UNREACHABLE, PAUSED, CIRCUIT_OPEN, QUOTA_EXHAUSTED,
   *   NEVER_ADMISSIBLE, GATE_UNAVAILABLE, SHUTDOWN; the signal's reason when it is aborted.
   */
  admit(request: AdmissionRequest): Permit | Promise<Permit>;
  /** Drops a provisional place whose sleeper gave up. */
  releasePlace(place: string): void;
  pause(partition: Partition | null, forMs: number): void;
  resume(partition: Partition | null): void;
  update(contract: ResolvedContract): void;
  inspect(): Promise<AdmissionView>;
  /** Refuses all that wait, and all that comes, with SHUTDOWN; resolves when no permit is out, or after `graceMs`. */
  drain(graceMs: number): Promise<void>;
  close(): Promise<void>;
}
