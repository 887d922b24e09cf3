/** What the calls of one operation tell the one who runs it; an error thrown through the application's code may lose it. */

/** Why a call ended although it may still succeed later. */
export interface Postponed {
  /** `retry`: after a failure, which counts as an attempt. `rescheduled`: a refusal, a pause, a full line. `budget`: the retry budget is spent. */
  readonly cause: 'retry' | 'rescheduled' | 'budget';
  /** When to try again, in monotonic ms. */
  readonly dueMono: number;
  /** False where the budget was spent before anything was sent in this run: no attempt is counted. Default: true. */
  readonly isAttempt?: boolean;
}

/** Written by the calls, read when the run ends. */
export interface OperationTrail {
  /** The last call that ended for lack of time, unless a later one went on. */
  postponed: Postponed | null;
  /** Whether a write of it left the process in this run. */
  sent: boolean;
  /** An earlier run failed, and nothing was sent since: the next attempt is its retry, and counts against the budget. */
  owesRetry?: boolean;
  /**
   * Writes that are on the wire though their caller gave up; each resolves when its end is recorded, and never rejects.
   * The operation is settled after them.
   */
  readonly late?: Set<Promise<unknown>>;
  /**
   * Attempts of writes that are on the wire; each resolves when its end is recorded, and never rejects. A run that failed
   * beside them is settled after them.
   */
  readonly onWire?: Set<Promise<unknown>>;
}

/** A lookup by a reconciler: its calls are made for no caller, and belong to no operation. */
export interface LookupRun {
  /** As {@link DurableRun.maxHoldMs}. */
  readonly maxHoldMs: number;
  readonly trail: OperationTrail;
}

/** How a run by a worker differs from a call that somebody waits for. */
export interface DurableRun {
  /** Longest wait inside the run, for a permit or between attempts, in ms: what takes longer ends it, postponed. */
  readonly maxHoldMs: number;
  /** Failures that earlier runs counted. */
  readonly failures: number;
}
