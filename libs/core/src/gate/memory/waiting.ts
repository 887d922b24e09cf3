/** How a ticket that was not granted waits: where it stands, and when its process must ask again. */
import type { Head } from '../port.js';
import type { GateState } from './state.js';
import { chargeOf } from './layout.js';
import type { Entry } from './line.js';
import type { Plan, Stage, Waiter } from './model.js';
import { QUANTUM } from './owed.js';

/** Within this a hinted ticket is expected. */
export const HINT_US = 5_000;

const MAX_SLEEP_US = 5_000_000;
/** Where a limit holds less than two calls, the place of a dead process is noticed this soon. */
const SHORT_SLEEP_US = 1_000_000;
/** One whom nobody stands in front of need not look in between. */
const LONG_SLEEP_US = 30_000_000;
/** A ticket that is not asked for again is forgotten this long after it was due. */
const KEPT_US = 15_000_000;

/** It stands in the line of the whole provider. `head` null = it got all a step gives, and asks again at once. */
export function stand(state: GateState, waiter: Waiter, plan: Plan, head: Head | null, now: number): void {
  state.enter(waiter, plan.stages.length - 1);
  waiter.aside = false;
  if (head === null) {
    const next = waiter.current();
    waiter.by = null;
    waiter.cause = 'line';
    waiter.moment = now;
    const { calls } = waiter;
    waiter.eligible = next === undefined ? Math.min(calls, QUANTUM) : state.judge.eligible(plan, calls, next, now);
    state.judge.verdict.limit = null;
    state.judge.verdict.certain = now;
    return poll(state, waiter, now, now);
  }
  const { verdict } = state.judge;
  waiter.by = verdict.by;
  waiter.cause = verdict.cause;
  waiter.moment = verdict.moment;
  waiter.eligible = state.judge.eligible(plan, waiter.calls, head, now);
  poll(state, waiter, now, Math.min(verdict.moment, now + longestSleep(plan, head)));
}

/** A partition holds it up: it stands in the lines of its partitions only, so that the whole provider waits for nobody. */
export function sleep(state: GateState, waiter: Waiter, plan: Plan, head: Head, now: number): void {
  const { judge } = state;
  const { verdict } = judge;
  leaveWhole(waiter, plan);
  waiter.aside = false;
  waiter.by = verdict.by;
  waiter.cause = verdict.cause;
  waiter.eligible = judge.beside(plan, verdict.by, head, now);
  const alone = verdict.alone;
  const { moment } = verdict;
  judge.certainOfWhole(plan, head, now);
  waiter.moment = moment;
  poll(state, waiter, now, Math.min(moment, now + (alone ? LONG_SLEEP_US : longestSleep(plan, head))));
}

/** Only retries are left, and the budget holds them up: nothing is owed to them, and while the breaker is open they need not look. */
export function putAside(state: GateState, waiter: Waiter, now: number): void {
  const { breaker } = state;
  const closedUntil = breaker !== null && breaker.state === 'open' ? breaker.openUntil : now;
  leaveWhole(waiter, waiter.plan);
  waiter.aside = true;
  waiter.by = null;
  waiter.cause = 'budget';
  waiter.moment = Math.max(state.budget?.retryAt(now) ?? now, closedUntil);
  state.judge.verdict.limit = null;
  state.judge.verdict.certain = Math.max(now, closedUntil);
  poll(state, waiter, now, waiter.moment);
}

function leaveWhole(waiter: Waiter, plan: Plan): void {
  const last = plan.stages.length - 1;
  (plan.stages[last] as Stage).line.leave(waiter.entries[last] as Entry<Waiter>, false);
}

function poll(state: GateState, waiter: Waiter, now: number, pollAt: number): void {
  const { verdict } = state.judge;
  waiter.pollAt = pollAt;
  state.waiterExpiry.move(waiter, Math.max(pollAt, now) + KEPT_US);
  const certainUs = verdict.certain < waiter.moment ? verdict.certain : Math.max(waiter.moment, verdict.certain);
  state.wait({
    ticketKey: waiter.key,
    pollAtUs: pollAt,
    cause: waiter.cause,
    limit: verdict.limit,
    estimateUs: Math.max(waiter.moment, certainUs),
    certainUs,
  });
}

function longestSleep(plan: Plan, head: Head): number {
  const last = plan.stages.length - 1;
  const { books } = plan.stages[last] as Stage;
  const positions = plan.positions[last] as readonly number[];
  for (let j = 0; j < books.length; j += 1) {
    const book = books[j] as (typeof books)[number];
    if (book.certain && book.capacity < 2 * chargeOf(head, positions[j] as number)) return SHORT_SLEEP_US;
  }
  return MAX_SLEEP_US;
}
