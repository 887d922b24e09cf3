/** The seam between a client (Axios, an SDK method, any function) and the module: one `Call` per use of a provider. */
import type { Duration, RequestView } from '../contract/options.js';
import type { Decision, HeaderBag, Outcome, Partition, Safety, StopReason, Units } from '../model/outcome.js';
import type { Reading } from '../reading/reading.js';
import type { SluiceError } from '../errors/sluice-error.js';

export type { StopReason } from '../model/outcome.js';

/** What one call may say about itself; the decorator, the request (`sluice`) and the inbound context all give these. */
export interface CallOptions {
  /** Name of the lane. */
  readonly lane?: string;
  readonly tenant?: string;
  readonly partition?: Partition;
  readonly units?: Units;
  /** Name of the route, where its template should not be matched. */
  readonly route?: string;
  /** May be repeated without harm. */
  readonly safe?: boolean;
  /** Key for this one request; default: the operation's, where there is one. */
  readonly idempotencyKey?: string;
  /** Tells requests of one operation apart. */
  readonly step?: string;
  /** Longest time for the whole call. Narrows `timeouts.total`; never widens an outer deadline. */
  readonly deadline?: Duration;
}

export interface CallSpec {
  readonly request: RequestView;
  readonly options: CallOptions;
  readonly signal?: AbortSignal;
  /** The client's own time limit; narrows `timeouts.attempt`. 0 = none. */
  readonly timeoutMs?: number;
  /** Longest reading of the body is the caller's: a stream is handed over at its headers. */
  readonly streams?: boolean;
  /** False = the request's body can be read once only (a stream): nothing is sent a second time. Default: true. */
  readonly resendable?: boolean;
  /** The call is made for several at once: their lane and deadline, as they come and go, count in place of its own. */
  readonly flight?: { lane(): number; deadlineMono(): number };
  /** What `identify` said of the very call that is now made for several: it is not worked out a second time. */
  readonly identity?: CallIdentity;
}

/** For whom a call would be made, under the current async context: what decides with whom it may be shared. */
export interface CallIdentity {
  readonly lane: number;
  readonly tenant: string;
  readonly partition: Partition;
  readonly deadlineMono: number;
  readonly observe: boolean;
  readonly safety: Safety;
  /** Everything the context said about the call: what a shared call, which runs outside of it, is given. */
  readonly options: CallOptions;
  readonly signals: readonly AbortSignal[];
  /** Answers of the inbound request, for this provider and partition; null = there are none. */
  readonly reuse: Map<string, unknown> | null;
}

/** What the sender of one attempt needs to know. */
export interface AttemptContext {
  /** 1, 2, 3 ... */
  readonly number: number;
  /** Aborted when the attempt must end: its time is over, or the caller gave up. Made when it is first asked for. */
  readonly signal: AbortSignal;
  /** Calls `fn` when the attempt must end, at once if that is now: a signal's work at none of its cost. One per attempt. */
  onCut(fn: (reason: unknown) => void): void;
  /** Headers to set: credentials, idempotency key, what `beforeSend` gave. */
  readonly headers: Readonly<Record<string, string>>;
  /** Field to set in a JSON body: an idempotency key that travels there. */
  readonly bodyFields: Readonly<Record<string, string>>;
  /** What its first send brought, to be sent again in place of the body that the client has now; absent = that one. */
  readonly firstBody?: FirstBody | null;
  readonly connectMs: number;
  readonly bodyIdleMs: number;
  /** Observe mode: the request is to be sent unchanged; no time limit of ours applies. */
  readonly observed: boolean;
  /**
   * Whether the process stood still for so long since the grant that the request would arrive later than the guard allows. A
   * sender that has not sent a byte of it ends as {@link STALE_GRANT}, unsent; its permit goes back and is asked for anew.
   */
  stale(): boolean;
  /** Ends the attempt's timer where the rest is the caller's (a stream's headers have come). */
  headersReceived(): void;
}

/** Code of an unsent attempt whose grant was stale. */
export const STALE_GRANT = 'STALE_GRANT';

/** How the sender's work ended. */
export type AttemptResult =
  | {
      readonly type: 'answered';
      readonly status: number;
      readonly headers: HeaderBag;
      readonly body?: unknown;
      readonly value: unknown;
      /** A streamed body that is delivered is still under way until this resolves (it never rejects): the permit is kept until then. */
      readonly rest?: Promise<void>;
    }
  /** `sent: false` only on positive evidence: lookup, connect or TLS not finished, or no byte written. */
  | { readonly type: 'failed'; readonly sent: boolean; readonly error: unknown; readonly code: string | null };

export type AttemptEnd =
  /** Hand the answer over. `reason` null = a success. */
  | {
      readonly decision: Extract<Decision, 'deliver'>;
      readonly result: Extract<AttemptResult, { type: 'answered' }>;
      readonly outcome: Outcome;
      readonly reading: Reading;
      readonly reason: StopReason | null;
      readonly retryAt: Date | null;
    }
  /** Call `backoff()`, then `attempt()` again; after {@link AttemptOptions.goesOn} only that. */
  | {
      readonly decision: Extract<Decision, 'retry'>;
      readonly result: AttemptResult;
      readonly outcome: Outcome;
      readonly waitMs: number;
    }
  /** Throw `error`. `cancelled` = the caller gave up: the client's own cancel error is to be thrown. */
  | {
      readonly decision: Extract<Decision, 'raise'>;
      readonly result: AttemptResult | null;
      readonly outcome: Outcome;
      readonly reason: StopReason | null;
      readonly error: SluiceError | unknown;
      readonly cancelled: boolean;
      /** The last answer that came, if one did: the caller gets it as the client's own error. */
      readonly lastAnswer: Extract<AttemptResult, { type: 'answered' }> | null;
      readonly retryAt: Date | null;
    };

/** The very bytes of a body, and the header that says how to read them. */
export interface FirstBody {
  /** Empty = it had no body. */
  readonly bytes: Uint8Array;
  readonly contentType: string | null;
}

/** What a client would send now. */
export interface WritableBody {
  /** Empty = it has no body; null = its bytes cannot be known before (a stream), or mean nothing (a function). */
  readonly bytes: Uint8Array | null;
  readonly contentType: string | null;
  /** False = a repeat cannot be trusted to send the same. */
  readonly repeatable: boolean;
}

/** A client's part in what an operation writes down of its writes. */
export interface Recordable {
  /** The body that the next attempt would send, with `fields` in it. What it rejects with refuses the call unsent. */
  body(fields: Readonly<Record<string, string>>): WritableBody | Promise<WritableBody>;
  /** What is kept of a success; null = it cannot be kept. No credentials. */
  keep(answer: Extract<AttemptResult, { type: 'answered' }>): string | null;
  /** The answer that was kept, for the caller of now. */
  restore(status: number, kept: string): Extract<AttemptResult, { type: 'answered' }>;
}

export interface AttemptOptions {
  /** Where {@link Call.isRecorded} asks for it. */
  readonly recordable?: Recordable;
  /** Follows a redirect: admitted and counted, but not one of the call's tries. */
  readonly hop?: { readonly request: RequestView; readonly sameOrigin: boolean };
  /**
   * Asked of an answer that would end the call, once its permit is settled. Null = it does; else the client goes on from it
   * (a redirect that it follows): once that resolves the end is a `retry` without a `backoff()`. What it rejects with ends the call.
   */
  readonly goesOn?: (answer: Extract<AttemptResult, { type: 'answered' }>) => Promise<void> | null;
}

/** One use of a provider, from request to final answer. */
export interface Call {
  readonly callId: string;
  /** Name of its provider. */
  readonly provider: string;
  /** Attempts that left the process so far. */
  readonly attempts: number;
  /** Total wait for admission and backoff so far. */
  readonly waitedMs: number;
  readonly operationId: string | null;
  /** Whether its request may be sent again: redirects of a bare write are not followed. */
  readonly safety: Safety;
  /** Whether its writes are written down before they leave: each attempt is to bring its {@link Recordable}. */
  readonly isRecorded: boolean;
  /** Admits, sends, reads, settles, decides. Never rejects: every end is an {@link AttemptEnd}. */
  attempt(send: (context: AttemptContext) => Promise<AttemptResult>, options?: AttemptOptions): Promise<AttemptEnd>;
  /** Waits before the next attempt. Resolves null when it is due, or with the end of the call when it may not go on. */
  backoff(): Promise<AttemptEnd | null>;
}

/** What `currentCall()` gives inside a guarded method or sender. */
export interface CurrentCall {
  readonly provider: string;
  /** Attempts so far; 0 before the first. */
  readonly attempt: number;
  readonly signal: AbortSignal;
  /** Null = no deadline but that of each request, `timeouts.total` from its start. */
  readonly deadlineAt: Date | null;
  readonly remainingMs: number | null;
  /** The key that this attempt sends; null outside of attempts, and where none is sent. */
  readonly idempotencyKey: string | null;
  readonly operationId: string | null;
}
