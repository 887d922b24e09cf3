import type { ResolvedContract } from '../contract/resolved.js';
import type { Permit } from '../gate/admission.js';
import { decide, type RetryQuestion, type RetryVerdict } from '../retry/decide.js';
import { needMs } from './admission-request.js';
import { GaveUp } from '../time/bounded.js';
import type { AttemptResult } from './call.js';
import type { RequestPlan } from './call-plan.js';
import { settleForRetry } from './give-back.js';
import type { Judgement } from './judge.js';
import { type CallParts, withinCall } from './obtain.js';
import type { Settled, Started, Tries } from './started.js';
import type { WireEnd } from './wire.js';

/** What has to be known of a call to decide how it goes on. */
export interface DecidingCall extends CallParts {
  readonly history: Readonly<Tries>;
  readonly resendable: boolean;
  /** The key that it sends is not known to the provider after this. */
  keyDeadlineMono(): number;
}

const AT_ONCE: RetryVerdict = { action: 'retry', kind: 'repeat', waitMs: 0, waitReason: 'backoff' };
export const NO_NEW_CREDENTIALS: Extract<RetryVerdict, { action: 'stop' }> = {
  action: 'stop',
  reason: 'auth',
  waitMs: null,
};
const NO_CHANCE = { backoff: 0, spread: 0 };

/** Ends the permit of an attempt and decides what follows on it. @throws GaveUp when the caller does not wait for that. */
export function settled(
  call: DecidingCall,
  started: Started,
  end: WireEnd,
  judgement: Judgement,
): Settled | Promise<Settled> {
  const { permit, request } = started;
  const { breaker } = call.env.contract.resolved;
  const retry = retryRules(call);
  const question = questionOf(call, judgement, request);
  const verdict = decide(question, retry);
  if (verdict.action === 'retry' && verdict.kind === 'retry' && retry.budget !== null) {
    const settling = settleForRetry(call, permit, judgement.settlement, verdict.waitMs, retry.maxWaitMs, request);
    return settling.then((place) =>
      place === null && breaker?.whileOpen !== 'wait'
        ? { verdict: decide({ ...question, budgetSpent: true }, retry), place }
        : { verdict, place },
    );
  }
  if (verdict.action === 'stop') settleAfter(end.result, permit, judgement);
  else permit.settle(judgement.settlement);
  if (judgement.trouble !== 'auth') return { verdict, place: null };
  return renewed(call, verdict, started).then((after) => ({ verdict: after, place: null }));
}

/** A streamed body that somebody may be reading keeps the permit to its end. */
export function settleAfter(result: AttemptResult, permit: Permit, { settlement }: Judgement): void {
  const rest = result.type === 'answered' ? result.rest : undefined;
  if (rest === undefined) permit.settle(settlement);
  else void rest.then(() => permit.settle(settlement));
}

function retryRules({ env, maxHoldMs }: DecidingCall): ResolvedContract['retry'] {
  const { retry } = env.contract.resolved;
  return maxHoldMs < retry.maxWaitMs ? { ...retry, maxWaitMs: maxHoldMs } : retry;
}

function questionOf(
  call: DecidingCall,
  { trouble, retryable, hintMs, longestHintMs }: Judgement,
  request: RequestPlan,
): RetryQuestion {
  const { clock, random, auth } = call.env;
  const nowMono = clock.monoMs();
  return {
    trouble,
    retryable,
    safety: request.safety,
    resendable: call.resendable,
    hintMs,
    longestHintMs,
    history: call.history,
    remainingMs: call.plan.deadlineMono - nowMono,
    needMs: needMs(call.plan, request),
    keyLeftMs: call.keyDeadlineMono() - nowMono,
    refreshable: auth !== null,
    budgetSpent: false,
    chance: trouble === 'none' ? NO_CHANCE : { backoff: random.next(), spread: random.next() },
  };
}

/** The provider refused the credentials: newer ones, or the end. */
async function renewed(call: DecidingCall, verdict: RetryVerdict, { held, request }: Started): Promise<RetryVerdict> {
  const { auth } = call.env;
  if (auth === null || held === null) return verdict.action === 'refresh' ? NO_NEW_CREDENTIALS : verdict;
  const again = call.history.unauthorised > 1;
  const renewal = auth.rejected(call.plan.partition, held, again);
  if (verdict.action !== 'refresh') return verdict;
  try {
    return (await withinCall(call, renewal, request.signals)) ? AT_ONCE : NO_NEW_CREDENTIALS;
  } catch (error) {
    if (error instanceof GaveUp) throw error;
    return NO_NEW_CREDENTIALS;
  }
}
