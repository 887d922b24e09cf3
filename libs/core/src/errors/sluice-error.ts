/** Every code a {@link SluiceError} can have. docs/errors.md explains each; a test compares the two. */
export const SLUICE_ERROR_CODES = [
  'QUEUE_FULL',
  'QUEUE_WAIT_EXCEEDED',
  'DEADLINE_UNREACHABLE',
  'DEADLINE_EXCEEDED',
  'CONNECT_TIMEOUT',
  'ATTEMPT_TIMEOUT',
  'BODY_TIMEOUT',
  'PAUSED',
  'CIRCUIT_OPEN',
  'QUOTA_EXHAUSTED',
  'NEVER_ADMISSIBLE',
  'OUTCOME_UNKNOWN',
  'IDEMPOTENCY_CONFLICT',
  'OPERATION_IN_PROGRESS',
  'DEFERRED',
  'AUTH_FAILED',
  'PAYLOAD_TOO_LARGE',
  'GATE_UNAVAILABLE',
  'STORE_UNAVAILABLE',
  'SHUTDOWN',
  'CONFIG',
] as const;

export type SluiceErrorCode = (typeof SLUICE_ERROR_CODES)[number];

/** What a {@link SluiceError} is made of. */
export interface SluiceErrorInit {
  readonly code: SluiceErrorCode;
  /** What happened, to which provider, and what to do next. Never a credential, a body or a full URL. */
  readonly message: string;
  /** Name of the provider; null where the error is about no provider in particular. */
  readonly provider?: string | null;
  /** When a new try can succeed, if that is known. */
  readonly retryAt?: Date | null;
  /** The same as a wait in milliseconds from the moment of the error. */
  readonly retryAfterMs?: number | null;
  readonly operationId?: string | null;
  /** Attempts that left the process. */
  readonly attempts?: number;
  readonly cause?: unknown;
}

/** Shared by every copy of the package in the process, so that an error of the other build is recognised too. */
const BRAND: unique symbol = Symbol.for('nestjs-sluice/error@1') as never;

/**
 * Thrown where nothing was sent, or where the outcome of what was sent is unknown. An attempt that was answered ends in
 * the client's own error instead (Axios: `error.sluice` says why the module stopped).
 */
export class SluiceError extends Error {
  override readonly name = 'SluiceError';
  readonly code: SluiceErrorCode;
  readonly provider: string | null;
  readonly retryAt: Date | null;
  readonly retryAfterMs: number | null;
  readonly operationId: string | null;
  readonly attempts: number;
  constructor(init: SluiceErrorInit) {
    super(init.message, init.cause === undefined ? undefined : { cause: init.cause });
    this.code = init.code;
    this.provider = init.provider ?? null;
    this.retryAt = init.retryAt ?? null;
    this.retryAfterMs = init.retryAfterMs ?? null;
    this.operationId = init.operationId ?? null;
    this.attempts = init.attempts ?? 0;
  }

  /** On the prototype: nobody who prints an error needs to see it. */
  get [BRAND](): true {
    return true;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isSluiceError(value);
  }
}

/** Tells a {@link SluiceError}, of any copy of the package, from every other value; with `code`, one of that code. */
export function isSluiceError(value: unknown, code?: SluiceErrorCode): value is SluiceError {
  if (typeof value !== 'object' || value === null || (value as Record<symbol, unknown>)[BRAND] !== true) return false;
  return code === undefined || (value as SluiceError).code === code;
}
