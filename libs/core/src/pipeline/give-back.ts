/** Ends of permits after which the same call asks again: what it has of the retry budget stays its own. */
import type { Permit, Settlement } from '../gate/admission.js';
import type { AttemptKind } from '../model/outcome.js';
import { bounded } from '../time/bounded.js';
import type { CallEnding } from './call-ending.js';
import type { CallEnv } from './call-env.js';
import type { CallPlan, RequestPlan } from './call-plan.js';
import { deadlineExceeded } from './failures.js';
import { UNSENT } from './settlement.js';

/**
 * So often a call gives a stale grant back. A process that stands still for half of the guard at each of them is too busy to
 * keep the guard at all; then the call is sent, and it is the provider that may refuse it.
 */
const MAX_STALE_GRANTS = 3;

interface AskingCall {
  readonly env: CallEnv;
  readonly plan: CallPlan;
  readonly ending: CallEnding;
}

/**
 * Settles, and asks the retry budget for a place for a retry in `waitMs` that then stands in line for at most `maxWaitMs`;
 * null = it is spent. A place that comes too late for its caller is given back.
 *
 * @throws GaveUp
 */
export async function settleForRetry(
  call: AskingCall,
  permit: Permit,
  settlement: Settlement,
  waitMs: number,
  maxWaitMs: number,
  request: RequestPlan,
): Promise<string | null> {
  const { env, plan, ending } = call;
  const leftMs = plan.deadlineMono - env.clock.monoMs();
  const given = permit.settleForRetry(settlement, waitMs, Math.min(leftMs - waitMs, plan.laneWaitMs, maxWaitMs));
  const tooLate = (): unknown => deadlineExceeded(ending.scene());
  try {
    return await bounded(given, env.clock, request.signals, Math.max(0, leftMs), tooLate);
  } catch (error) {
    void given.then((place) => {
      if (place !== null) env.admission.releasePlace(place);
    });
    throw error;
  }
}

/** Moment (monotonic ms) after which a grant comes too late to be used, where `staleGrants` of the call were given back before. */
export function staleFromMono({ grantedMono }: Permit, guardMs: number, staleGrants: number): number {
  return staleGrants < MAX_STALE_GRANTS && guardMs > 0 ? grantedMono + guardMs / 2 : Infinity;
}

/**
 * Ends a permit that is not used, for another one of the same attempt. A retry has filled its place in the budget with it:
 * it gets one again, for those who hold one go before those who do not. Null = none, or none is needed. @throws GaveUp
 */
export async function giveBack(
  call: AskingCall,
  permit: Permit,
  kind: AttemptKind,
  request: RequestPlan,
): Promise<string | null> {
  const { retry } = call.env.contract.resolved;
  if (kind === 'retry' && retry.budget !== null) {
    return settleForRetry(call, permit, UNSENT, 0, retry.maxWaitMs, request);
  }
  permit.settle(UNSENT);
  return null;
}
