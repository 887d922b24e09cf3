import type { OperationContext } from '../context/contexts.js';
import type { StoredInvocation } from '../operations/handler.js';

/** One logical operation that is asked for. */
export interface OperationRequest {
  /** Name of the provider, for errors. */
  readonly provider: string;
  /** What the key is unique within: the method, the provider, the partition and tenant. The same after a restart. */
  readonly scope: string;
  /** From the declared fields of the operation; never from what changes at every try. */
  readonly key: string;
  /** The key is of this one ask alone: who asks again asks for another operation. Default: false. */
  readonly once?: boolean;
  /** From `fingerprintOf`. */
  readonly fingerprint: string;
  /** How long to wait for a run that another caller began, in monotonic ms. Default: no limit but the run's own. */
  readonly deadlineMono?: number;
  /** Ends the waiting, not the run. */
  readonly signal?: AbortSignal | null;
  /** For a ledger with a store. Default: run by its callers alone. */
  readonly durable?: DurableRequest;
}

/** What a ledger with a store needs to know besides. */
export interface DurableRequest {
  /** What is run, by a name that survives a deploy. */
  readonly name: string;
  /** What a worker needs to run or look it up; null = only who asks for it can. */
  readonly invocation: StoredInvocation | null;
  readonly lane: string;
  /** '' = none. */
  readonly tenant: string;
  /** Hashed; '' = the whole provider. */
  readonly partition: string;
  /** Only with an `invocation`: operations of one key run one after the other. */
  readonly orderingKey: string | null;
  /** What it is looked up by at the provider. */
  readonly reference: string | null;
  /** Where it cannot be done in time: put to the queue, for which it needs an `invocation`; or raise what stopped it. */
  readonly whenPostponed: 'defer' | 'raise';
  /** Where its outcome is unknown: raise that, or wait for the reconciliation until the deadline. */
  readonly whenUnknown: 'raise' | 'wait';
}

export type OperationWork<T> = (operation: OperationContext, lost?: AbortSignal) => Promise<T>;

/** Which operations ran, run, or may have run. Without a store it forgets at a restart. */
export interface Ledger {
  /** Operations that are remembered: finished, under way and unknown ones. */
  readonly size: number;
  /**
   * Runs `work` unless an equal operation ran or runs: its result is given then, a copy for each caller. A run that fails
   * is not remembered; one whose outcome is unknown is, as that.
   *
   * @throws SluiceError IDEMPOTENCY_CONFLICT when the key was used with another fingerprint; OUTCOME_UNKNOWN when an earlier
   *   run may have happened; OPERATION_IN_PROGRESS when the deadline passes while another caller's run goes on; QUEUE_FULL
   *   when too many are under way or unknown; CONFIG for an empty key, and for an operation that asks for itself; what `work`
   *   throws. With a store also DEFERRED when it was put to the queue; STORE_UNAVAILABLE and PAYLOAD_TOO_LARGE.
   * @param work Its signal, where it has one, is aborted when the operation is in other hands: nothing of it is to be sent any more.
   */
  run<T>(request: OperationRequest, work: OperationWork<T>): Promise<T>;
}
