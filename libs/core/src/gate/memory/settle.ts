import type { QuotaSeen, Settle, SettleReply } from '../port.js';
import { type Book, FALLBACK_US, RESET_ROUNDING_US } from './books/book.js';
import { Fixed } from './books/fixed.js';
import type { Permits } from './books/permits.js';
import { rejudge } from './grant.js';
import { announceReturn } from './hints.js';
import { chargeOf } from './layout.js';
import { type Lease, type Plan, type Stage, worksAfterUs } from './model.js';
import { type Pause, type PauseSchedule, probeAlive, probeDue, refuse } from './pause.js';
import type { GateState } from './state.js';

/** A permit that a concurrency limit refused is kept for at least so long: freed at once, the next call would be refused too. */
const PENALTY_US = 1_000_000;

/** Leases looked through for what was granted after an answer's own attempt. */
const LATER_SCAN = 1024;

/** Books the end of an attempt. */
export function settleOne(state: GateState, settle: Settle, now: number): SettleReply {
  const { leaseId } = settle;
  const lease = state.leases.get(leaseId);
  if (lease === undefined) {
    stale(state, settle, now);
    return { leaseId, stale: true, place: placeFor(state, settle, now) };
  }
  state.leases.delete(leaseId);
  lease.settled = true;
  book(state, lease, settle, now);
  const { breaker } = state;
  const wasBreakerProbe = breaker !== null && breaker.probe === lease;
  if (settle.refusal !== null) refused(state, lease.plan, settle, lease.seq, lease, now);
  if (lease.probe) probeEnded(state, lease, settle, now);
  if (breaker !== null) {
    breaker.ended(lease, settle.end === 'answered');
    if (wasBreakerProbe) breakerProbeEnded(state, settle, now);
    else learn(state, settle, lease.seq, now);
  }
  for (const seen of settle.seen) reconcile(state, lease, seen, now);
  releaseOrHold(state, lease, settle, now);
  const { stages } = lease.plan;
  for (let i = 0; i < stages.length; i += 1) {
    const stage = stages[i] as Stage;
    if (!stage.unsaved) state.stages.touch(stage);
  }
  return { leaseId, stale: false, place: placeFor(state, settle, now) };
}

function placeFor(state: GateState, settle: Settle, now: number): string | null {
  if (settle.retry === null) return null;
  // Without a budget every retry has its place.
  if (state.budget === null) return 'unlimited';
  if (state.bare.count > 0) return null;
  return state.budget.reserve(now, settle.retry.afterUs + settle.retry.keepUs);
}

/** Its lease had expired: nothing is given back a second time. What it says of the provider is heard all the same, by its sequence number. */
function stale(state: GateState, settle: Settle, now: number): void {
  const seq = Number(settle.leaseId);
  if (!(seq <= state.seq)) return;
  const plan = state.stages.planFor(settle.ticket, now);
  if (settle.refusal !== null) refused(state, plan, settle, seq, null, now);
  else if (settle.end === 'answered') {
    for (const { stage, lastedUs } of lostProbes(plan, seq, now)) {
      if (probeAlive(stage.pause, now, state.seq)) state.pauseEnded(stage, lastedUs);
    }
  }
  const { breaker } = state;
  if (breaker === null) return;
  const wasProbe = breaker.state === 'open' && breaker.probe === null && seq > breaker.epoch;
  if (wasProbe) breakerProbeEnded(state, settle, now);
  else learn(state, settle, seq, now);
}

/** The stages whose pause this attempt was to test, where nobody has taken its part since. */
function lostProbes(plan: Plan, seq: number, now: number): readonly { stage: Stage; lastedUs: number }[] {
  return plan.stages
    .filter(({ pause }) => isLostProbe(pause, seq, now))
    .map((stage) => ({ stage, lastedUs: now - stage.pause.beganAt }));
}

/** Only its probe can have been granted since a pause began. */
function isLostProbe(pause: Pause, seq: number, now: number): boolean {
  return probeDue(pause, now) && seq > pause.epoch;
}

/** Refunds and corrections. */
function book(state: GateState, lease: Lease, settle: Settle, now: number): void {
  const { plan } = lease;
  const notSent = settle.end === 'not-sent';
  for (let i = 0; i < plan.stages.length; i += 1) {
    const books = plan.books[i] as readonly Book[];
    const positions = plan.positions[i] as readonly number[];
    for (let j = 0; j < books.length; j += 1) {
      const account = books[j] as Book;
      const at = positions[j] as number;
      const charged = chargeOf(lease, at);
      const free = notSent || (settle.refusal !== null && refusedAreFree(state, account));
      if (free) account.refund(now, lease.lane, charged, lease.grantedAt);
      else if (settle.trueCharges !== null && at >= 0) {
        const extra = (settle.trueCharges[at] as number) - charged;
        if (extra !== 0) account.correct(now, lease.lane, extra, lease.grantedAt);
      }
    }
  }
  if (notSent && lease.kind !== 'repeat') state.budget?.uncount(now, lease.kind, lease.grantedAt);
  if (notSent || settle.trueCharges !== null) state.free(plan.stages);
}

function refusedAreFree(state: GateState, account: Book): boolean {
  return account.limit >= 0 && state.contract.limits[account.limit]?.refusedCallsCount === false;
}

/** Gives the permits back, or keeps them while the provider may still be at work. */
function releaseOrHold(state: GateState, lease: Lease, settle: Settle, now: number): void {
  if (lease.plan.permits.length === 0) return state.leaseExpiry.remove(lease);
  let until = now;
  if (settle.end === 'no-answer') until = Math.min(lease.due, now + worksAfterUs(lease.plan) + state.guardUs);
  else if (settle.refusal !== null && refusedForPermits(state, settle)) {
    until = now + Math.max(settle.refusal.waitUs ?? 0, PENALTY_US);
  }
  if (until <= now) return release(state, lease);
  state.leaseExpiry.move(lease, until);
  if (until < now + FALLBACK_US) announceReturn(state, lease.plan.stages, until, now);
}

function refusedForPermits(state: GateState, settle: Settle): boolean {
  const limit = settle.refusal?.limit ?? null;
  return limit !== null && state.contract.limits[limit]?.kind === 'concurrency';
}

function release(state: GateState, lease: Lease): void {
  state.leaseExpiry.remove(lease);
  const { stages, permits } = lease.plan;
  if (permits.length === 0) return;
  for (let i = 0; i < permits.length; i += 1) (permits[i] as Permits).release(lease.lane);
  state.free(stages);
}

/** Its time is over: its owner is gone, or kept it for the provider's sake. A probe that is lost is anyone's again. */
export function expireLease(state: GateState, lease: Lease): void {
  if (!lease.settled) {
    state.leases.delete(lease.seq);
    for (const stage of lease.plan.stages) {
      if (stage.pause.probe !== lease) continue;
      stage.pause.probe = null;
      state.free([stage]);
    }
    const { breaker } = state;
    if (breaker !== null) {
      breaker.ended(lease, false);
      if (breaker.probe === lease) breaker.probe = null;
    }
    lease.settled = true;
  }
  release(state, lease);
}

function schedule(state: GateState): PauseSchedule {
  const { initialMs, factor, maxMs } = state.contract.pause;
  return { initialUs: initialMs * 1000, factor, maxUs: maxMs * 1000 };
}

/** The provider refused: the stage of that limit pauses. */
function refused(state: GateState, plan: Plan, settle: Settle, seq: number, lease: Lease | null, now: number): void {
  const { limit, waitUs } = settle.refusal as NonNullable<Settle['refusal']>;
  const index = (limit === null ? undefined : plan.stageOf.get(limit)) ?? plan.narrowest;
  const stage = state.stages.live(plan.stages[index] as Stage, now);
  const isProbe = lease === null ? isLostProbe(stage.pause, seq, now) : stage.pause.probe === lease;
  const move = refuse(stage.pause, schedule(state), now, waitUs, seq, isProbe, state.seq);
  if (move === 'none') return;
  for (const account of stage.books) if (limit === null || account.limit === limit) account.empty(now);
  if (!stage.whole) rejudge(stage, now);
  state.pauseStarted(stage);
}

/** What the answer to a probe means for the pauses it tests. */
function probeEnded(state: GateState, lease: Lease, settle: Settle, now: number): void {
  for (const stage of lease.plan.stages) {
    const { pause } = stage;
    if (pause.probe !== lease) continue;
    if (settle.end !== 'answered') {
      // It tells nothing: the next one tests the water.
      pause.probe = null;
      state.free([stage]);
      continue;
    }
    const lastedUs = now - pause.beganAt;
    if (probeAlive(pause, now, state.seq)) state.pauseEnded(stage, lastedUs);
  }
}

function breakerProbeEnded(state: GateState, settle: Settle, now: number): void {
  const { breaker } = state;
  if (breaker === null) return;
  if (settle.health === 'failure' && settle.refusal === null) {
    breaker.open(now, state.seq);
    state.breakerMoved();
    state.change({ type: 'breaker-opened', untilUs: breaker.openUntil });
  } else if (settle.end === 'answered') {
    breaker.close(state.seq);
    state.breakerMoved();
    state.change({ type: 'breaker-closed' });
    state.callAll(state.stages.whole);
  } else breaker.probe = null;
}

function learn(state: GateState, settle: Settle, seq: number, now: number): void {
  const { breaker } = state;
  if (breaker === null || settle.health === 'none' || settle.refusal !== null) return;
  if (!breaker.learn(now, seq, settle.health, state.seq)) return;
  state.breakerMoved();
  state.change({ type: 'breaker-opened', untilUs: breaker.openUntil });
  if (breaker.refuses) state.callAll(state.stages.whole);
}

/** The provider's own figures can only slow us down: they are often cached, or of one of many counters. */
function reconcile(state: GateState, lease: Lease, seen: QuotaSeen, now: number): void {
  const index = lease.plan.stageOf.get(seen.limit);
  if (index === undefined) return;
  const stage = state.stages.live(lease.plan.stages[index] as Stage, now);
  const account = stage.books.find((one) => one.limit === seen.limit);
  if (account === undefined) return;
  const laterFrom = lease.grantedAt + state.guardUs;
  const later = seen.remaining === null ? 0 : grantedLater(state, lease, account, laterFrom);
  const { resetInUs } = seen;
  const { grantedAt } = lease;
  let applied = account.lower(now, { remaining: seen.remaining ?? Infinity, later, resetInUs, grantedAt, laterFrom });
  if (seen.remaining === 0 && seen.resetInUs !== null && shut(state, account, seen.resetInUs, now)) {
    rejudge(stage, now);
    applied = true;
  }
  if (account instanceof Fixed && account.takeContradiction()) {
    state.change({ type: 'edges-contradicted', limit: seen.limit });
  }
  state.change({ type: 'quota-seen', limit: seen.limit, remaining: seen.remaining, applied });
}

/** Nothing is left for longer than this limit's own window can last: a longer one is spent, and nothing may start until its reset. */
function shut(state: GateState, account: Book, resetInUs: number, now: number): boolean {
  if (resetInUs <= account.longestResetUs(now) + RESET_ROUNDING_US + state.guardUs) return false;
  const until = now + Math.min(resetInUs, state.contract.pause.maxHintMs * 1000);
  if (until <= account.shutUntil) return false;
  account.shutUntil = until;
  return true;
}

/**
 * What was charged to an account by attempts that reach the provider after this one for certain, and are not yet answered: of
 * those granted within the guard of one another nobody knows which comes first, and the figure may hold them.
 */
function grantedLater(state: GateState, lease: Lease, account: Book, from: number): number {
  let sum = 0;
  const count = Math.min(state.leaseExpiry.size, LATER_SCAN);
  for (let i = 0; i < count; i += 1) {
    const other = state.leaseExpiry.at(i);
    if (other.seq <= lease.seq || other.settled || other.grantedAt < from) continue;
    sum += chargedTo(other, account);
  }
  return sum;
}

function chargedTo({ plan, charges, kind }: Lease, account: Book): number {
  for (let i = 0; i < plan.books.length; i += 1) {
    const j = (plan.books[i] as readonly Book[]).indexOf(account);
    if (j >= 0) return chargeOf({ charges, kind }, (plan.positions[i] as readonly number[])[j] as number);
  }
  return 0;
}
