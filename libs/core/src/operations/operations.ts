/** What an application does with its operations: the face of the store, the workers and the reconciliation. */
import type { Duration } from '../contract/options.js';
import type { Ledger } from '../idempotency/options.js';
import type { Partition } from '../model/outcome.js';
import type { ProviderRuntime } from '../pipeline/runtime.js';
import type { OperationHandler } from './handler.js';
import type { Operation } from './port/operation.js';
import type { ListQuery, OperationCounts, OperationPage } from './port/operator.js';
import type { OperationState } from './states.js';

export interface OperationsOptions {
  /** Operations of one provider that a process runs at a time; as many are looked up at a time. Default: 8. */
  readonly concurrency?: number;
  /** How often a process looks for work that another one made. Default: `1s`. */
  readonly poll?: Duration;
  /** How long an operation is out of reach after its process was killed. Default: `30s`. */
  readonly lease?: Duration;
  /** Longest wait inside a run by a worker; what takes longer goes back to the store. Default: `5s`. */
  readonly maxHold?: Duration;
  /** Lookups of an uncertain operation that may be inconclusive before a person has to look. Default: 10. */
  readonly maxChecks?: number;
}

/** Work that is put to the queue. */
export interface DeferRequest {
  /** `@Durable({ name })`, else `Class.method`; a handler of that name is needed. */
  readonly name: string;
  readonly provider: string;
  readonly args: readonly unknown[];
  /** Identity of the work; null = its own each time. */
  readonly key: string | null;
  readonly fingerprint: string;
  readonly lane: string | null;
  readonly tenant: string;
  readonly partition: Partition;
  readonly orderingKey: string | null;
  readonly reference: string | null;
  /** Not to be run before that. Default: at once. */
  readonly delay?: Duration;
}

/** Where deferred work is. */
export interface Deferred {
  readonly id: string;
  /** False = an equal one was there already. */
  readonly created: boolean;
  readonly state: OperationState;
}

/** Reads its source in batches. */
export interface BackfillSource<Item> {
  /** Items of one batch, at most: what is handled again after a crash. */
  readonly batchSize: number;
  /** Items after `position`, at most `batchSize`; null = the start. An empty batch ends the backfill. */
  next(
    position: string | null,
    batchSize: number,
  ): Promise<{ readonly items: readonly Item[]; readonly position: string }>;
  /**
   * Called for each item of a batch, `concurrency` at a time; called again for a batch whose end was not stored. Writes that
   * were answered then are not sent again; for the store's sake they belong into an `@Idempotent` method or another deferred
   * operation of their own: what is written directly is remembered until the backfill is over.
   */
  handle(item: Item): Promise<void>;
  /** What an item is known by when its batch is handled again. Default: all of it, which must be plain data then. */
  idOf?(item: Item): string;
  /** Default: 1. */
  readonly concurrency?: number;
}

export interface OperationsRuntime {
  /** The ledger of a provider: what `@Idempotent` runs its operations by. */
  ledger(runtime: ProviderRuntime): Ledger;
  /** Before {@link start}. @throws SluiceError CONFIG where the name is taken. */
  register(handler: OperationHandler, runtime: ProviderRuntime): void;
  /** Begins to run and look up what is stored. */
  start(): void;
  /** Takes no more work; what runs may end within `graceMs`, and is given back then, without counting its delivery. */
  stop(graceMs: number): Promise<void>;
  /** After {@link stop}: closes the store when all is written. */
  close(): Promise<void>;

  /** @throws SluiceError CONFIG without a handler; IDEMPOTENCY_CONFLICT; QUEUE_FULL; PAYLOAD_TOO_LARGE; STORE_UNAVAILABLE. */
  defer(request: DeferRequest): Promise<Deferred>;
  get(id: string): Promise<Operation | null>;
  list(query: ListQuery): Promise<OperationPage>;
  counts(): Promise<OperationCounts>;
  /**
   * Waits until it is done, dead or discarded. Default of `deadline`: the provider's `timeouts.total`.
   *
   * @throws SluiceError OPERATION_IN_PROGRESS at the deadline; CONFIG for an unknown id; the signal's reason.
   */
  wait(id: string, options?: { readonly deadline?: Duration; readonly signal?: AbortSignal }): Promise<Operation>;
  /** A dead operation once more. @throws SluiceError CONFIG where it is in no state for that. */
  redrive(id: string): Promise<OperationState>;
  /** Gives up what nobody holds. @throws SluiceError CONFIG where it is in no state for that. */
  discard(id: string, why: string): Promise<OperationState>;
  /** Says by hand that an uncertain or dead operation is done, with that result. @throws SluiceError CONFIG where it is neither. */
  resolve(id: string, result: unknown, why: string): Promise<OperationState>;
  /** One that waits, or is to be looked up, now. @throws SluiceError CONFIG where it is in no state for that. */
  hasten(id: string): Promise<OperationState>;
  /** An operator ended a pause: what it put off, of that partition or of the whole provider, is due at once. Never rejects. */
  resumed(runtime: ProviderRuntime, partition: Partition | null): Promise<void>;
  /** Inside a run by a worker: reads a source in batches, and goes on after a crash behind the last batch that was stored. */
  backfill<Item>(source: BackfillSource<Item>): Promise<void>;
}
