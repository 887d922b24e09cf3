import { SluiceError, type SluiceErrorCode } from '../errors/sluice-error.js';
import type { WhoLooks } from '../errors/unknown-outcome.js';
import type { StopReason } from '../model/outcome.js';
import { dateOf } from '../time/dates.js';

/** What the errors of a call have in common. */
export interface FailureScene {
  readonly provider: string;
  readonly method: string;
  /** Name of the route; never a path, which may hold personal data. Undefined = the contract names no routes. */
  readonly route: string | null | undefined;
  /** `Class.method` of the guarded method around it. */
  readonly site: string | null;
  /** Null = the contract has one lane only. */
  readonly lane: string | null;
  readonly attempts: number;
  readonly operationId: string | null;
  /** Who finds out where its outcome is unknown. */
  readonly whoLooks: WhoLooks;
}

/** The error of a call: which request of which provider, what happened, what to do next. */
export function failure(
  code: SluiceErrorCode,
  scene: FailureScene,
  what: string,
  more: { readonly retryAtMs?: number | null; readonly nowMs?: number; readonly cause?: unknown } = {},
): SluiceError {
  const { retryAtMs = null, nowMs = 0, cause } = more;
  return new SluiceError({
    code,
    message: `Provider "${scene.provider}", ${requestOf(scene)}: ${what}`,
    provider: scene.provider,
    retryAt: retryAtMs === null ? null : dateOf(retryAtMs),
    retryAfterMs: retryAtMs === null ? null : Math.max(0, retryAtMs - nowMs),
    operationId: scene.operationId,
    attempts: scene.attempts,
    ...(cause === undefined ? {} : { cause }),
  });
}

function requestOf({ method, route, site }: FailureScene): string {
  if (method === '') return site ?? 'call';
  if (route === undefined) return method;
  return `${method} (${route === null ? 'unmatched route' : `route "${route}"`})`;
}

/** A refusal by the gate, told with which request was refused, what its call had done before, and how its last attempt failed. */
export function withScene(error: SluiceError, scene: FailureScene, lastFailure?: unknown): SluiceError {
  const cause = error.cause ?? lastFailure;
  const message = refusedMessage(error, scene);
  if (message === error.message && scene.attempts === 0 && scene.operationId === null) return error;
  return new SluiceError({
    code: error.code,
    message,
    provider: error.provider,
    retryAt: error.retryAt,
    retryAfterMs: error.retryAfterMs,
    operationId: scene.operationId,
    attempts: scene.attempts,
    ...(cause === undefined ? {} : { cause }),
  });
}

/** The gate knows neither method nor route: what it says of the provider is said of the request. */
function refusedMessage({ code, message }: SluiceError, scene: FailureScene): string {
  const whose = `Provider "${scene.provider}"`;
  const byGate = code === 'NEVER_ADMISSIBLE' || (code !== 'AUTH_FAILED' && reasonOfRefusal(code) !== null);
  if (!byGate || !message.startsWith(`${whose}: `)) return message;
  const lane = scene.lane === null ? '' : `, lane "${scene.lane}"`;
  return `${whose}, ${requestOf(scene)}${lane}${message.slice(whose.length)}`;
}

/** Why a refusal of ours ends a call that had an answer before. */
export function reasonOfRefusal(code: SluiceErrorCode): StopReason | null {
  switch (code) {
    case 'PAUSED':
      return 'paused';
    case 'CIRCUIT_OPEN':
      return 'circuit-open';
    case 'DEADLINE_EXCEEDED':
    case 'DEADLINE_UNREACHABLE':
      return 'deadline';
    case 'AUTH_FAILED':
      return 'auth';
    case 'QUOTA_EXHAUSTED':
      return 'wait-too-long';
    case 'QUEUE_FULL':
    case 'QUEUE_WAIT_EXCEEDED':
    case 'GATE_UNAVAILABLE':
    case 'STORE_UNAVAILABLE':
    case 'SHUTDOWN':
      return 'queue';
    default:
      return null;
  }
}

export function deadlineExceeded(scene: FailureScene): SluiceError {
  return failure('DEADLINE_EXCEEDED', scene, 'its deadline passed before an answer came.');
}
