/** What runs and looks up stored operations: the application's own methods, by names that survive a deploy. */
import type { OperationContext } from '../context/contexts.js';
import type { Partition } from '../model/outcome.js';
import type { Reconciled } from './reconciled.js';
import type { LookupRun } from './trail.js';

/** For whom stored work is done: what an inbound request or the method said when it was made. */
export interface StoredOwner {
  readonly lane: string | null;
  readonly tenant: string;
  readonly partition: Partition;
}

/** One invocation of a durable method, as it is stored and brought back. */
export interface StoredInvocation {
  readonly args: readonly unknown[];
  readonly owner: StoredOwner;
}

export interface OperationHandler {
  readonly provider: string;
  /** `@Durable({ name })`, else `Class.method`. */
  readonly name: string;
  /** Runs the method as this operation, for that owner. */
  run(invocation: StoredInvocation, operation: OperationContext, signal: AbortSignal): Promise<unknown>;
  /** Looks an uncertain run up at the provider; null = a person has to. */
  readonly reconcile:
    ((invocation: StoredInvocation, signal: AbortSignal, lookup: LookupRun) => Promise<Reconciled>) | null;
}
