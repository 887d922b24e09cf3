/** The right to change one operation, and how it ends. */
import type { DeadCause, OperationState, TransitionCause } from '../states.js';
import type { StoredError } from '../stored-error.js';

/** The right to change one operation. */
export interface Hold {
  readonly id: string;
  readonly fence: number;
}

export interface Stale {
  readonly type: 'stale';
  /** null = it is gone. */
  readonly state: OperationState | null;
}

export type Checkpointed =
  { readonly type: 'recorded' } | { readonly type: 'too-large'; readonly limit: number } | Stale;

/** How a hold ends. */
export type Ending<Result = string, Failure = StoredError> =
  | { readonly to: 'done'; readonly cause: 'completed' | 'found'; readonly result: Result | null }
  /** Turns into `uncertain` where an unanswered write may not be repeated. */
  | {
      readonly to: 'waiting';
      readonly cause: 'rescheduled' | 'retry';
      readonly dueInMs: number;
      readonly error: Failure | null;
    }
  /** As `waiting`; what a reconciler gives back stays `uncertain`. */
  | { readonly to: 'queued'; readonly cause: 'given-back' }
  | {
      readonly to: 'uncertain';
      /** `rescheduled`: it could not be looked up now, which is no answer and is not counted. */
      readonly cause: 'outcome-unknown' | 'inconclusive' | 'rescheduled';
      /** When to look it up. */
      readonly checkInMs: number;
      readonly error: Failure | null;
    }
  /**
   * The reconciliation did not find it. The first time it stays `uncertain`, to be looked up in `checkInMs`; once it was
   * absent for `settleMs` it is `queued`, to be sent once more under a new fence.
   */
  | { readonly to: 'absent'; readonly settleMs: number; readonly checkInMs: number }
  | { readonly to: 'dead'; readonly cause: DeadCause; readonly error: Failure | null }
  /** Turns into `uncertain` where a write of an earlier run is unanswered. */
  | { readonly to: 'discarded'; readonly cause: 'not-sent'; readonly error: Failure | null };

export type Settled =
  | {
      readonly type: 'settled';
      readonly state: OperationState;
      readonly cause: TransitionCause;
      /** False where the result was too large to keep. */
      readonly kept: boolean;
    }
  | Stale;
