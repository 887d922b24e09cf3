import type { Duration, Partition } from '../../../core/src/index.js';
import type { OperationView } from './operation-view.js';

export interface DeferOptions {
  /** Identity of the work: with the key of work that is there already, that one is told. Default: what `@Idempotent({ key })` of the method says, else its own each time. */
  readonly key?: string | number;
  /** Default: what `@Throttled` of the method says, as for the three below. */
  readonly lane?: string;
  /** For whom it is done. */
  readonly tenant?: string;
  readonly partition?: Partition;
  /** Default: what `@Durable` says. */
  readonly orderingKey?: string | number;
  /** What it is looked up by at the provider. Default: what `@Idempotent` says. */
  readonly reference?: string | number;
  /** Not to be run before that. Default: at once. */
  readonly delay?: Duration;
}

export interface WaitOptions {
  /** Longest wait. Default: the provider's `timeouts.total`. */
  readonly deadline?: Duration;
  /** Ends the waiting, not the work. */
  readonly signal?: AbortSignal;
}

export interface ListedOperations {
  /** Oldest first. */
  readonly operations: readonly OperationView[];
  /** For `after` of the next page; null = that was the last. */
  readonly next: string | null;
}
