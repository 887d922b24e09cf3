import type { CallOptions, StopReason } from '../../core/src/index.js';

/** What one request says about itself to the module. */
export interface RequestSluice extends CallOptions {
  /** Makes the request's body anew for every attempt: a stream can be sent once only. */
  readonly body?: () => unknown;
}

/** What an answer tells about its way. */
export interface ResponseSluice {
  /** Attempts that left the process, followed redirects included. */
  readonly attempts: number;
  /** Total wait for admission and backoff, in ms. */
  readonly waitedMs: number;
  readonly operationId: string | null;
}

/** Why the module stopped, on Axios's own error. */
export interface ErrorSluice {
  readonly provider: string;
  readonly reason: StopReason | null;
  readonly attempts: number;
  /** When a new try can succeed, if that is known. */
  readonly retryAt: Date | null;
  readonly operationId: string | null;
}
