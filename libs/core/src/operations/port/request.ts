/** The requests of an operation, and what became of them. */
import type { Stale } from './hold.js';

/** One request of an operation, written before its first byte leaves. */
export interface RequestRecord {
  /** Tells the requests of one operation apart: `sluice.step`, else method, route, hash of the path and ordinal. */
  readonly step: string;
  readonly method: string;
  readonly route: string | null;
  /** The provider's idempotency key; null where it has none. */
  readonly providerKey: string | null;
  readonly bodyHash: string | null;
  /** The very bytes that are sent, so that a repeat sends the same; null where a repeat would not need them. */
  readonly body: Uint8Array | null;
  /** The header that tells how to read those bytes, a form's boundary included; null = none is sent. */
  readonly contentType: string | null;
  /**
   * How long after its first send it may be repeated while unanswered: null = always (it is safe), 0 = never (an unkeyed
   * write), else the time the provider keeps the key, less what a repeat may take.
   */
  readonly repeatableForMs: number | null;
}

export interface StoredRequest extends Omit<RequestRecord, 'repeatableForMs'> {
  readonly sends: number;
  readonly firstSentAtMs: number;
  readonly lastSentAtMs: number;
  /** null = always. */
  readonly repeatableUntilMs: number | null;
  /** `sent`: no answer is known. `not-done`: the provider refused it, or no byte left. `absent`: looked up twice, and not there. */
  readonly state: 'sent' | 'answered' | 'not-done' | 'absent';
  readonly status: number | null;
  /** What was kept of the answer. */
  readonly answer: string | null;
}

export type Recorded =
  /**
   * It may leave now. `request` holds the key of its first send, and the bytes: where that is unanswered or absent, those of
   * it, and what is new where it did not happen.
   */
  | { readonly type: 'recorded'; readonly request: StoredRequest }
  /** It was answered before: nothing is to be sent. */
  | { readonly type: 'answered'; readonly request: StoredRequest }
  /** It was sent before, nobody knows with what outcome, and it must not be repeated. */
  | { readonly type: 'not-repeatable'; readonly request: StoredRequest }
  | { readonly type: 'too-large'; readonly limit: number }
  | Stale;

/** What became of a request. An answer that leaves it open whether a write happened (a 503 of a proxy) is none: it stays `sent`. */
export type RequestEnd =
  | { readonly type: 'answered'; readonly status: number; readonly answer: string | null }
  /** It did not happen: refused before it ran, or no byte left. It may be sent again. */
  | { readonly type: 'not-done'; readonly status: number | null };

export type AnswerRecorded = { readonly type: 'recorded'; /** False where the answer was too large to keep. */ readonly kept: boolean } | Stale; // prettier-ignore
