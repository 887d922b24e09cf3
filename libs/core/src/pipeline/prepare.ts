import { withinAttempt } from '../context/attempt-scope.js';
import type { HeldCredentials } from '../auth/credentials.js';
import { configError } from '../errors/config-error.js';
import { isSluiceError, type SluiceError } from '../errors/sluice-error.js';
import type { Permit } from '../gate/admission.js';
import { bounded, GaveUp } from '../time/bounded.js';
import type { CallEnv } from './call-env.js';
import type { CallPlan, RequestPlan } from './call-plan.js';
import { deadlineExceeded, failure, type FailureScene } from './failures.js';
import { hadFairTime } from './fair-time.js';
import { withBody, withHeaders } from './request-views.js';
import { Wire, type WireLimit } from './wire.js';
import type { Written } from './started.js';

const NONE: Readonly<Record<string, string>> = Object.freeze({});

export interface Granted {
  readonly request: RequestPlan;
  readonly permit: Permit;
  readonly held: HeldCredentials | null;
  readonly key: string | null;
  /** Moment (monotonic ms) after which its grant is stale. */
  readonly staleMono: number;
  readonly written?: Written;
}

/**
 * Makes the attempt ready between its grant and its send: credentials, key, what `beforeSend` adds, its one timer.
 *
 * @throws SluiceError when it must not be sent; GaveUp when the caller is gone.
 */
export function prepare(
  env: CallEnv,
  plan: CallPlan,
  granted: Granted,
  number: number,
  sameOrigin: boolean,
  scene: FailureScene,
): Wire | Promise<Wire> {
  const { held, key, written } = granted;
  const { idempotency, options } = env.contract.resolved;
  const keyed = key !== null && sameOrigin && idempotency !== null;
  let headers = held === null ? NONE : held.headers;
  if (keyed && idempotency.header !== null) headers = { ...headers, [idempotency.header]: key };
  const hasField = keyed && idempotency.bodyField !== null && written === undefined;
  const bodyFields = hasField ? { [idempotency.bodyField]: key } : NONE;
  const firstBody = written?.firstBody ?? null;
  const ready = (all: Readonly<Record<string, string>>): Wire => {
    const { clock, contract } = env;
    const limit = new AttemptLimit(env, plan, granted, scene);
    const { connectMs, bodyIdleMs } = contract.resolved.timeouts;
    return new Wire({
      clock,
      number,
      headers: all,
      bodyFields,
      firstBody,
      connectMs,
      bodyIdleMs,
      observed: false,
      staleMono: granted.staleMono,
      isGone: written?.isGone,
      limit,
    });
  };
  if (options.beforeSend === undefined || !sameOrigin) return ready(headers);
  return lastLook(env, plan, granted, headers, scene).then((added) => ready({ ...headers, ...added }));
}

/** From the grant on: `timeouts.attempt`, within the call's deadline. */
class AttemptLimit implements WireLimit {
  /** @throws SluiceError when there is no time left. */
  constructor(
    private readonly env: CallEnv,
    private readonly plan: CallPlan,
    private readonly granted: Granted,
    private readonly scene: FailureScene,
  ) {
    if (plan.deadlineMono <= env.clock.monoMs()) throw deadlineExceeded(scene);
  }

  private get untilMono(): number {
    return this.granted.permit.grantedMono + this.plan.attemptMs;
  }

  leftMs(): number {
    return Math.max(0, Math.min(this.plan.deadlineMono, this.untilMono) - this.env.clock.monoMs());
  }

  over(): ReturnType<WireLimit['over']> {
    const { deadlineMono, attemptMs } = this.plan;
    const { clock, contract } = this.env;
    const fair = hadFairTime(contract.resolved, clock.monoMs() - this.granted.permit.grantedMono);
    return this.untilMono <= deadlineMono
      ? { cut: fair ? 'attempt' : 'early', error: attemptTimeout(this.scene, attemptMs) }
      : { cut: fair ? 'deadline' : 'early', error: deadlineExceeded(this.scene) };
  }
}

async function lastLook(
  env: CallEnv,
  plan: CallPlan,
  { request, permit, written }: Granted,
  headers: Readonly<Record<string, string>>,
  scene: FailureScene,
): Promise<Readonly<Record<string, string>>> {
  const { contract, clock, report } = env;
  const { beforeSend } = contract.resolved.options;
  if (beforeSend === undefined) return NONE;
  const leftMs = Math.max(0, permit.grantedMono + plan.attemptMs - clock.monoMs());
  try {
    const view = written?.firstBody ? withBody(request.view, written.firstBody) : request.view;
    const given: unknown = withinAttempt(env.owner, () => beforeSend(withHeaders(view, headers)));
    const added =
      given instanceof Promise
        ? await bounded(given, clock, request.signals, leftMs, () => attemptTimeout(scene, plan.attemptMs))
        : given;
    return headersFrom(contract.name, added);
  } catch (error) {
    if (error instanceof GaveUp) throw error;
    report.hookFailed('beforeSend', error);
    if (isSluiceError(error)) throw error;
    throw failure('CONFIG', scene, 'its beforeSend failed, so nothing was sent. See the cause.', { cause: error });
  }
}

function headersFrom(provider: string, added: unknown): Readonly<Record<string, string>> {
  if (added === undefined || added === null) return NONE;
  if (typeof added !== 'object')
    throw configError(provider, 'beforeSend', typeof added, 'an object of headers, or nothing');
  for (const [name, value] of Object.entries(added)) {
    if (typeof value !== 'string') throw configError(provider, `beforeSend header ${name}`, typeof value, 'a text');
  }
  return added as Readonly<Record<string, string>>;
}

function attemptTimeout(scene: FailureScene, attemptMs: number): SluiceError {
  return failure(
    'ATTEMPT_TIMEOUT',
    scene,
    `no answer within ${attemptMs} ms (timeouts.attempt, or the request's own timeout).`,
  );
}
