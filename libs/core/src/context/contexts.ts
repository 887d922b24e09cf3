/** What travels with the async context, from the outermost in: the inbound request, the guarded method, the operation. */
import type { WhoLooks } from '../errors/unknown-outcome.js';
import type { OperationJournal } from '../operations/journal.js';
import type { DurableRun, LookupRun, OperationTrail } from '../operations/trail.js';
import type { CallOptions } from '../pipeline/call.js';
import type { Partition } from '../model/outcome.js';

/** One request that came in to the application: its middleware or interceptor opens it. */
export interface InboundContext {
  readonly tenant: string | null;
  readonly partition: Partition | null;
  /** Monotonic ms; Infinity = none. */
  readonly deadlineMono: number;
  /** Aborted when the client disconnects: ends reads, never writes. */
  readonly disconnected: AbortSignal | null;
  /** Answers that may be reused while this request lasts, by provider and partition; owned by the demand layer. */
  readonly reuse: Map<string, unknown>;
}

/** One logical piece of work: what `@Idempotent` opens. */
export interface OperationContext {
  readonly id: string;
  /** Opaque key of the operation; the keys of its requests are derived from it. */
  readonly key: string;
  /** How often a method + route without `step` was seen: tells its requests apart. */
  readonly ordinals: Map<string, number>;
  /**
   * Ids of calls with a write that left and whose outcome is not known (yet). An operation that ends in an error while
   * there is one is unknown, whatever the error says.
   */
  readonly unsettled?: Set<string>;
  /** Its memory that outlives the process; absent = it has none. */
  readonly journal?: OperationJournal;
  readonly trail?: OperationTrail;
  /** Who finds out where its outcome is unknown. Absent = its caller. */
  readonly whoLooks?: WhoLooks;
  /** Absent = somebody waits for it. */
  readonly durable?: DurableRun;
}

/** Whether calls of a provider began inside a guarded method, the methods inside it included. */
export interface RequestTally {
  readonly provider: string;
  made: boolean;
  readonly outer: RequestTally | null;
}

/** One invocation of a guarded method: what `@Throttled` opens for all calls inside. */
export interface MethodContext {
  readonly provider: string;
  /** `Class.method`, for messages. */
  readonly label?: string | null;
  /** Absent = nobody wants to know. */
  readonly tally?: RequestTally | null;
  readonly options: CallOptions;
  /** Monotonic ms; nested methods can only narrow it. */
  readonly deadlineMono: number;
  readonly operation: OperationContext | null;
  /** What looks an operation up; absent = nothing does. */
  readonly lookup?: LookupRun | null;
  /** Aborted when the method's caller gives up (unsubscribes). */
  readonly signal: AbortSignal | null;
}

export interface SluiceContext {
  readonly inbound: InboundContext | null;
  readonly method: MethodContext | null;
}
