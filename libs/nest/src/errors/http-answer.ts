import { isSluiceError, type SluiceError, type SluiceErrorCode } from '../../../core/src/index.js';

/** An error of Axios that carries what the module adds: why it stopped. */
export interface GuardedAxiosError extends Error {
  readonly isAxiosError: true;
  readonly response?: { readonly status: number };
  readonly sluice: {
    readonly reason: string;
    readonly retryAt: Date | null;
    readonly operationId: string | null;
    readonly provider?: string;
  };
}

/** What a client of the application is told. Nothing in it comes from a URL, a header or a body. */
export interface ClientAnswer {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly provider: string | null;
  readonly retryAfterMs: number | null;
  readonly operationId: string | null;
}

export function isGuardedAxiosError(value: unknown): value is GuardedAxiosError {
  if (typeof value !== 'object' || value === null) return false;
  const { isAxiosError, sluice } = value as Partial<GuardedAxiosError>;
  return isAxiosError === true && typeof sluice === 'object' && sluice !== null;
}

/**
 * 429: the account that the request is for has used up what the provider gives it. 503: nobody could be served now.
 * 504: the provider did not answer in time. 502: it answered, with nothing the client could do about it.
 */
const STATUS_OF: Record<SluiceErrorCode, number> = {
  QUEUE_FULL: 503,
  QUEUE_WAIT_EXCEEDED: 503,
  DEADLINE_UNREACHABLE: 503,
  DEADLINE_EXCEEDED: 504,
  CONNECT_TIMEOUT: 504,
  ATTEMPT_TIMEOUT: 504,
  BODY_TIMEOUT: 504,
  PAUSED: 429,
  CIRCUIT_OPEN: 503,
  QUOTA_EXHAUSTED: 429,
  NEVER_ADMISSIBLE: 500,
  OUTCOME_UNKNOWN: 504,
  IDEMPOTENCY_CONFLICT: 422,
  OPERATION_IN_PROGRESS: 409,
  DEFERRED: 202,
  AUTH_FAILED: 503,
  PAYLOAD_TOO_LARGE: 413,
  GATE_UNAVAILABLE: 503,
  STORE_UNAVAILABLE: 503,
  SHUTDOWN: 503,
  CONFIG: 500,
};

/** Codes whose message speaks of the application's own set-up: a client is told no more than that it failed. */
const INTERNAL: ReadonlySet<SluiceErrorCode> = new Set(['CONFIG', 'NEVER_ADMISSIBLE']);

export function answerToClient(error: SluiceError | GuardedAxiosError, nowMs: number): ClientAnswer {
  return isSluiceError(error) ? ofSluiceError(error, nowMs) : ofAxiosError(error, nowMs);
}

function ofSluiceError(error: SluiceError, nowMs: number): ClientAnswer {
  const internal = INTERNAL.has(error.code);
  return {
    status: STATUS_OF[error.code],
    code: error.code,
    message: internal ? 'Internal server error' : error.message,
    provider: internal ? null : error.provider,
    retryAfterMs: error.retryAfterMs === null ? msUntil(error.retryAt, nowMs) : Math.ceil(error.retryAfterMs),
    operationId: error.operationId,
  };
}

/** Codes of the filter's own; docs/errors.md explains each, and a test compares the two. */
export const UPSTREAM_CODE: Record<number, string> = {
  429: 'UPSTREAM_LIMITED',
  502: 'UPSTREAM_FAILED',
  503: 'UPSTREAM_UNAVAILABLE',
  504: 'UPSTREAM_TIMEOUT',
};

function ofAxiosError(error: GuardedAxiosError, nowMs: number): ClientAnswer {
  const { reason, retryAt, operationId, provider = null } = error.sluice;
  const upstream = error.response?.status ?? null;
  const status = statusOfUpstream(upstream, reason);
  const whose = provider === null ? 'A provider' : `Provider "${provider}"`;
  const answered = upstream === null ? 'did not answer' : `answered ${upstream}`;
  return {
    status,
    code: UPSTREAM_CODE[status] ?? 'UPSTREAM_FAILED',
    message: `${whose} ${answered} (${reason}).`,
    provider,
    retryAfterMs: msUntil(retryAt, nowMs),
    operationId,
  };
}

function statusOfUpstream(upstream: number | null, reason: string): number {
  if (upstream === 429) return 429;
  if (reason === 'deadline' || upstream === 504 || upstream === 408) return 504;
  if (upstream === 503 || WAITING_HELPS.has(reason)) return 503;
  return 502;
}

/** Stops that are about the moment, not about the request. */
const WAITING_HELPS: ReadonlySet<string> = new Set([
  'budget-exhausted',
  'wait-too-long',
  'paused',
  'circuit-open',
  'queue',
]);

function msUntil(moment: Date | null, nowMs: number): number | null {
  return moment === null ? null : Math.max(0, moment.getTime() - nowMs);
}

/** Whole seconds, rounded up: a client that comes back early is refused again. Null where it is not known. */
export function retryAfterSeconds(answer: ClientAnswer): number | null {
  return answer.retryAfterMs === null ? null : Math.max(1, Math.ceil(answer.retryAfterMs / 1000));
}
