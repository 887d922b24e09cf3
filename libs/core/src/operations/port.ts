/**
 * The port of the durable store of operations.
 *
 * A store keeps what it has acknowledged through any crash, and each method is one atomic step: it happens wholly or not
 * at all. Moments go out as wall time in ms; what goes in is only ever a duration, and durations are compared with the
 * store's own clock within the step. A store on this host reads the host's wall clock, which all processes share; a remote
 * store uses the clock of its server, so that hosts whose clocks differ agree. A wall clock that is set forward ends
 * leases early: the fence then keeps their holders from changing anything, and the laws of sending hold.
 *
 * Whoever holds an operation holds its **fence**. Every claim, and every move by another hand, raises it; a method called
 * with an older one changes nothing and says `stale`.
 */
import type { Clock } from '../time/clock.js';
import type { ClaimReply, ClaimRequest, ClaimWork } from './port/claim.js';
import type { Created, CreateOperation } from './port/create.js';
import type { Checkpointed, Ending, Hold, Settled } from './port/hold.js';
import type { Moved, Operation } from './port/operation.js';
import type { Hastened, HastenQuery, ListQuery, OperationCounts, OperationPage, Ordered } from './port/operator.js';
import type { AnswerRecorded, Recorded, RequestEnd, RequestRecord, StoredRequest } from './port/request.js';

/** A used amount of the gate, to start from after a restart. */
export interface UsedAmount {
  readonly key: string;
  readonly value: string;
}

export interface OperationStore {
  /** Makes it, or finds the one that is there. */
  create(input: CreateOperation): Promise<Created>;
  get(id: string): Promise<Operation | null>;
  requests(id: string): Promise<readonly StoredRequest[]>;

  /**
   * Hands out what is due: lane by lane, within a lane tenants in turn, within a tenant the oldest first. Counts the
   * delivery; what was handed out {@link MAX_DELIVERIES} times without an end goes to `dead` instead, and what may no
   * longer be repeated to `uncertain`.
   */
  claim(request: ClaimWork): Promise<ClaimReply>;
  /** Hands out what is to be looked up. That counts as no delivery. */
  claimUncertain(request: ClaimRequest): Promise<ClaimReply>;
  /** Prolongs leases; returns the ids of those that are no longer held. */
  renew(holds: readonly Hold[], leaseMs: number): Promise<readonly string[]>;
  /** Before the first byte of a request leaves. */
  recordRequest(hold: Hold, request: RequestRecord): Promise<Recorded>;
  recordAnswer(hold: Hold, step: string, end: RequestEnd): Promise<AnswerRecorded>;
  /** How far the work has come; survives its holder. */
  checkpoint(hold: Hold, position: string): Promise<Checkpointed>;
  settle(hold: Hold, ending: Ending): Promise<Settled>;

  /**
   * Takes expired leases back, at most `limit`: `running` becomes `queued` or `uncertain`, `reconciling` becomes
   * `uncertain`, with one more of `checks`. What has no payload is never queued, here as in {@link settle}: where nothing of it was sent it is
   * `discarded` for `not-sent`, else `dead` for `cancelled`.
   */
  recover(limit: number): Promise<readonly Moved[]>;
  /**
   * Gives up what has waited for longer than `olderThanMs`, at most `limit`. `partition`: only what has all parts of it,
   * which are told apart by `&`; null = all of the provider.
   */
  flush(query: {
    readonly provider: string;
    readonly partition: string | null;
    readonly olderThanMs: number;
    readonly limit: number;
  }): Promise<readonly Moved[]>;
  /** Forgets what ended and was kept long enough, at most `limit`; returns how many. */
  purge(limit: number): Promise<number>;

  list(query: ListQuery): Promise<OperationPage>;
  counts(): Promise<OperationCounts>;
  /**
   * One that is `dead`, or `discarded` for `not-sent`, once more: to the queue, or begun at once; to `uncertain` where an
   * unanswered write may not be repeated. Refused where it would be queued and has no payload.
   */
  redrive(id: string, start?: { readonly owner: string; readonly leaseMs: number } | null): Promise<Ordered>;
  /** Gives up what nobody holds. */
  discard(id: string, why: string): Promise<Ordered>;
  /** Says by hand that an uncertain or dead operation is done. */
  resolve(id: string, result: string | null, why: string): Promise<Ordered>;

  /** One that waits, or is to be looked up, is due at once. It stays in its state. */
  hasten(id: string): Promise<Ordered>;
  /**
   * All that was put off until the provider can be asked again (`rescheduled`) is due at once: of the partition, as for
   * {@link flush}. Looks at `limit` operations, from where the step before ended.
   */
  hastenAll(query: HastenQuery): Promise<Hastened>;

  saveUsed(provider: string, amounts: readonly UsedAmount[], keepMs: number): Promise<void>;
  loadUsed(provider: string): Promise<readonly UsedAmount[]>;
  /** Ends after everything asked before; what is asked later is rejected. */
  close(): Promise<void>;
}

/** What `sqliteStore()` returns: a store that is to be opened. */
export interface DurableStore {
  /** Name in messages: `sqlite`. */
  readonly kind: string;
  /** Resolves when it is ready. A store with a clock of its own uses the given one in no decision. */
  open(env: { readonly clock: Clock }): Promise<OperationStore>;
}
