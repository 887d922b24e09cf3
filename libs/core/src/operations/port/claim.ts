/** How work is handed out. */
import type { OperationState } from '../states.js';
import type { Moved, Operation } from './operation.js';
import type { StoredRequest } from './request.js';

export interface ClaimRequest {
  readonly provider: string;
  readonly owner: string;
  readonly leaseMs: number;
  /** At most so many. At least 1. */
  readonly limit: number;
}

export interface ClaimWork extends ClaimRequest {
  /** Most urgent first; lanes that are not named come after them. */
  readonly lanes: readonly string[];
}

export interface Claimed {
  readonly operation: Operation;
  /** Where it was. */
  readonly from: OperationState;
  /** What it sent before, in no particular order. */
  readonly requests: readonly StoredRequest[];
}

export interface ClaimReply {
  readonly claimed: readonly Claimed[];
  /** What the store moved instead of handing it out. */
  readonly moved: readonly Moved[];
  /** When there may be more: 0 = now, null = nothing becomes due by time alone. Others add and end work: look now and then all the same. */
  readonly nextInMs: number | null;
}
