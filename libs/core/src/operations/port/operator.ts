/** What an operator sees of a store, and orders. */
import type { OperationState } from '../states.js';
import type { OperationSummary } from './operation.js';

export interface ListQuery {
  readonly provider?: string;
  readonly state?: OperationState;
  /** Where the page before ended. */
  readonly after?: string | null;
  /** At most 1,000. */
  readonly limit: number;
}

export interface OperationPage {
  /** Oldest first. */
  readonly operations: readonly OperationSummary[];
  /** For `after` of the next page; null = that was the last. */
  readonly next: string | null;
}

export interface OperationCount {
  readonly provider: string;
  readonly lane: string;
  readonly state: OperationState;
  readonly count: number;
}

export interface OperationAge {
  readonly provider: string;
  readonly state: OperationState;
  /** When the oldest operation in that state was created. */
  readonly oldestAtMs: number;
}

export interface OperationCounts {
  readonly counts: readonly OperationCount[];
  /** Of all states but `done`. */
  readonly ages: readonly OperationAge[];
}

/** What became of an operator's order. */
export type Ordered =
  | { readonly type: 'moved'; readonly state: OperationState; readonly fence: number }
  /** It is in a state that the order does not apply to; null = there is none. */
  | { readonly type: 'refused'; readonly state: OperationState | null };

export interface HastenQuery {
  readonly provider: string;
  readonly partition: string | null;
  /** Where the step before ended; null = the start. */
  readonly after: string | null;
  readonly limit: number;
}

export interface Hastened {
  /** Of this step. */
  readonly count: number;
  /** For `after` of the next step; null = that was the last. */
  readonly next: string | null;
}
