/** An operation as a store keeps it. */
import type { OperationState, TransitionCause } from '../states.js';
import type { StoredError } from '../stored-error.js';

/** An operation as it stands. */
export interface Operation {
  readonly id: string;
  readonly provider: string;
  readonly name: string;
  readonly state: OperationState;
  /** Why it is in that state. */
  readonly cause: TransitionCause;
  readonly fingerprint: string;
  readonly lane: string;
  readonly tenant: string;
  readonly partition: string;
  readonly orderingKey: string | null;
  readonly reference: string | null;
  readonly payload: string | null;
  /** Of what is done; null where it has none or where it was too large to keep. */
  readonly result: string | null;
  /** The last thing that went wrong, or an operator's words. */
  readonly error: StoredError | null;
  /** How far a backfill has come. */
  readonly checkpoint: string | null;
  /** Failures that counted as attempts. */
  readonly attempts: number;
  /** Hand-outs since it was last brought back. */
  readonly deliveries: number;
  /** Lookups since its outcome became unknown that told nothing: inconclusive ones, and those whose process died. */
  readonly checks: number;
  /** When the reconciliation first said `absent`. */
  readonly absentAtMs: number | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** When it is to be run (`waiting`) or looked up (`uncertain`); null = now, or never. */
  readonly dueAtMs: number | null;
  readonly endedAtMs: number | null;
  readonly owner: string | null;
  readonly leaseUntilMs: number | null;
  readonly fence: number;
}

/** What lists show: without arguments, result and position. */
export type OperationSummary = Omit<Operation, 'payload' | 'result' | 'checkpoint'>;

/** A move that the store made of itself, or for an operator. */
export interface Moved {
  readonly id: string;
  readonly provider: string;
  readonly name: string;
  readonly from: OperationState;
  readonly to: OperationState;
  readonly cause: TransitionCause;
}
