/** How an operation comes into a store. */
import type { OperationState } from '../states.js';
import type { Operation } from './operation.js';

/** How much a store takes. What is over is refused before it is accepted, never dropped after. */
export interface StoreBounds {
  /** Open operations of one lane of a provider. */
  readonly perLane: number;
  /** Open operations of one tenant in one lane of a provider; work without a tenant counts as one tenant. */
  readonly perTenant: number;
}

export interface CreateOperation {
  /** Of provider, name and key: `operationId` makes it. The same id is the same operation. */
  readonly id: string;
  readonly provider: string;
  /** What is to be run, by a name that survives a deploy. */
  readonly name: string;
  /** Hash of what the operation was asked to do; the same id with another one is a conflict. */
  readonly fingerprint: string;
  readonly lane: string;
  /** '' = no tenant: one member of the fair order. */
  readonly tenant: string;
  /** Hashed partition that a pause would hold up; '' = the whole provider. */
  readonly partition: string;
  /** Operations of one key run one after the other, in the order in which they were created. An opaque text; null = no order. */
  readonly orderingKey: string | null;
  /**
   * What it is looked up by at the provider, as an opaque text. Of one reference one operation is looked up at a time, and
   * none while another of it is held: what the one sends is not taken for the other's.
   */
  readonly reference: string | null;
  /** Its arguments, as `encodePayload` writes them; null = nobody but who asks for it can run it, so it is never queued. */
  readonly payload: string | null;
  /** Begun at once by the one who makes it; null = it goes to the queue. */
  readonly start: { readonly owner: string; readonly leaseMs: number } | null;
  /** Only without `start`: not to be run before that. */
  readonly dueInMs: number;
  /** How long its key and result are remembered after it is done; null = as long as the store keeps what is done. */
  readonly keepMs: number | null;
  /** null = the store's own. */
  readonly bounds: StoreBounds | null;
}

export type Created =
  /** It is there now. `fence` is what its maker holds where it asked to start it; one that must wait for its ordering key is `queued` all the same. */
  | { readonly type: 'created'; readonly state: OperationState; readonly fence: number }
  | { readonly type: 'existing'; readonly operation: Operation }
  /** It exists and was asked to do something else. */
  | { readonly type: 'conflict'; readonly operation: Operation }
  | StoreRefusal;

/** Nothing was stored. */
export interface StoreRefusal {
  readonly type: 'refused';
  readonly code: 'QUEUE_FULL' | 'PAYLOAD_TOO_LARGE';
  readonly of: 'lane' | 'tenant' | 'payload';
  /** Operations, or bytes. */
  readonly limit: number;
}
