import type { HeldCredentials } from '../auth/credentials.js';
import { isSluiceError } from '../errors/sluice-error.js';
import type { Permit } from '../gate/admission.js';
import type { AttemptKind } from '../model/outcome.js';
import { admissionRequest } from './admission-request.js';
import { abortedOf, bounded, GaveUp, joinSignals } from '../time/bounded.js';
import type { CallEnding } from './call-ending.js';
import type { CallTrail } from './call-trail.js';
import type { CallEnv } from './call-env.js';
import type { CallPlan, RequestPlan } from './call-plan.js';
import { deadlineExceeded } from './failures.js';
import { giveBack } from './give-back.js';
import { UNSENT } from './settlement.js';

/** The call that an attempt is part of. */
export interface CallParts {
  readonly env: CallEnv;
  readonly plan: CallPlan;
  readonly ending: CallEnding;
  /** Null = its operation asks for none. */
  readonly trail: CallTrail | null;
  /** Longest wait for a permit, whatever its lane allows; Infinity = none of its own. */
  readonly maxHoldMs: number;
}

export interface Wanted {
  readonly request: RequestPlan;
  readonly kind: AttemptKind;
  /** Place in the retry budget that the attempt fills. */
  readonly place: string | null;
  /** Credentials are for the provider's own origin only. */
  readonly sameOrigin: boolean;
  /** The key that it sends is not known to the provider after this. */
  readonly keyDeadlineMono: number;
}

export interface Obtained {
  readonly permit: Permit;
  readonly held: HeldCredentials | null;
  readonly waitedMs: number;
}

/**
 * Gets what an attempt needs, at once where it is at hand. Credentials first, then the permit: who waits for credentials
 * holds none. Where they have expired at the grant, both are got again.
 *
 * @throws SluiceError when the gate refuses or there are no credentials; GaveUp when the caller is gone.
 */
export function obtain(call: CallParts, wanted: Wanted): Obtained | Promise<Obtained> {
  // Most attempts need neither: a permit is all there is to get.
  if (call.env.auth !== null || wanted.place !== null) return obtainAll(call, wanted);
  const permit = ask(call, wanted, null);
  return permit instanceof Promise
    ? permit.then((given) => withoutCredentials(given, wanted))
    : withoutCredentials(permit, wanted);
}

function withoutCredentials(permit: Permit, { request }: Wanted): Obtained {
  const gone = abortedOf(request.signals);
  if (gone === undefined) return { permit, held: null, waitedMs: permit.waitedMs };
  permit.settle(UNSENT);
  throw new GaveUp(gone.reason);
}

async function obtainAll(call: CallParts, wanted: Wanted): Promise<Obtained> {
  const { env, plan } = call;
  const { auth } = env;
  const { request } = wanted;
  let { place } = wanted;
  let waitedMs = 0;
  try {
    for (;;) {
      let held: HeldCredentials | null = null;
      if (auth !== null && wanted.sameOrigin) {
        const given = auth.credentials(plan.partition);
        held = given instanceof Promise ? await withinCall(call, given, request.signals) : given;
      }
      const permit = await ask(call, wanted, place);
      place = null;
      waitedMs += permit.waitedMs;
      const gone = abortedOf(request.signals);
      if (gone === undefined && (held === null || auth === null || !auth.isExpired(held)))
        return { permit, held, waitedMs };
      if (gone !== undefined) {
        permit.settle(UNSENT);
        throw new GaveUp(gone.reason);
      }
      place = await giveBack(call, permit, wanted.kind, request);
    }
  } catch (error) {
    if (place !== null) env.admission.releasePlace(place);
    throw error;
  }
}

/** @throws SluiceError when the gate refuses; GaveUp when the caller is gone. */
function ask(call: CallParts, wanted: Wanted, place: string | null): Permit | Promise<Permit> {
  const { env, plan, ending, maxHoldMs } = call;
  const { request, kind } = wanted;
  const { retry } = env.contract.resolved;
  const longestMs = kind === 'first' ? maxHoldMs : Math.min(maxHoldMs, retry.maxWaitMs);
  const { arrivedMono } = ending;
  ending.asked(kind);
  const gone = abortedOf(request.signals);
  if (gone !== undefined) throw new GaveUp(gone.reason);
  const { signal, release } = joinSignals(request.signals);
  const asking = {
    kind,
    deadlineMono: Math.min(plan.deadlineMono, wanted.keyDeadlineMono),
    ...(arrivedMono === null ? {} : { arrivedMono }),
    maxWaitMs: Math.min(plan.laneWaitMs, longestMs),
    place,
    observe: false,
    signal,
  };
  let given: Permit | Promise<Permit>;
  try {
    given = env.admission.admit(admissionRequest(plan, request, asking));
  } catch (error) {
    release();
    throw error;
  }
  const granted = (permit: Permit): Permit => {
    release();
    ending.granted(kind, permit);
    return permit;
  };
  if (!('then' in given)) return granted(given);
  return given.then(granted, (error: unknown) => {
    release();
    if (signal?.aborted) throw new GaveUp(signal.reason);
    // Others may have joined the call in the meantime, and have longer.
    const hasLonger = Math.min(plan.deadlineMono, wanted.keyDeadlineMono) > asking.deadlineMono;
    if (hasLonger && place === null && isDeadline(error)) return ask(call, wanted, null);
    throw error;
  });
}

function isDeadline(error: unknown): boolean {
  return isSluiceError(error, 'DEADLINE_EXCEEDED') || isSluiceError(error, 'DEADLINE_UNREACHABLE');
}

/** Waits for what is shared with other calls, but not longer than this call may take. @throws GaveUp */
export function withinCall<T>(
  { env, plan, ending }: CallParts,
  work: Promise<T>,
  signals: readonly AbortSignal[],
  limitError: () => unknown = () => deadlineExceeded(ending.scene()),
): Promise<T> {
  const leftMs = Math.max(0, plan.deadlineMono - env.clock.monoMs());
  return bounded(work, env.clock, signals, leftMs, limitError);
}
