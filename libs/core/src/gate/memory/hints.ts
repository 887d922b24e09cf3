import type { WaitCause } from '../port.js';
import type { Book } from './books/book.js';
import { Permits } from './books/permits.js';
import { laneFor } from './guarantee.js';
import { chargeOf } from './layout.js';
import type { Stage, Waiter } from './model.js';
import { GRACE_US, QUANTUM } from './owed.js';
import { probeDue, shut } from './pause.js';
import type { GateState } from './state.js';
import { HINT_US } from './waiting.js';

const WHOLE_HINTS = 8;
const PARTITION_HINTS = 2;
const LOOKED_AT = 32;

/** One who has come to stand first looks again at the moment it was told when others stood in front: later than this is too late. */
const TOO_LATE_US = 100_000;

const NONE: readonly never[] = [];

/** What one who waits for a permit can be told that it waits for. */
const FOR_PERMITS: ReadonlySet<WaitCause> = new Set(['concurrency', 'tenant-share', 'reserve', 'line']);

/** Tells those who could start now, and do not know it, to ask again. A hint is no permit: a lost one costs time only. */
export function hint(state: GateState, now: number): void {
  for (const stage of state.freed) hintStage(state, stage, now, PARTITION_HINTS);
  const { whole } = state.stages;
  if (whole.line.size > 0) hintStage(state, whole, now, WHOLE_HINTS);
}

function hintStage(state: GateState, stage: Stage, now: number, most: number): void {
  if (!open(state, stage, now)) return;
  const taken: number[] = stage.books.map(() => 0);
  let hinted = 0;
  let seen = 0;
  let full = false;
  // What is due comes out of the reserves of others, too.
  const due = [...taken];
  for (const { waiter, calls } of stage.whole ? state.guarantees.dueIn(stage, now) : NONE) {
    if (!waits(stage, waiter, now)) continue;
    take(stage, waiter, calls, due, true);
    if (full || !fits(stage, waiter, calls, taken, now, true)) full = true;
    else if (wake(state, waiter, now)) hinted += 1;
  }
  for (const lane of stage.line.lanes) {
    const own = [...due];
    for (const entry of lane.entries) {
      seen += 1;
      if (hinted >= most || seen > LOOKED_AT) return;
      const { waiter } = entry;
      if (!waits(stage, waiter, now)) continue;
      const bound = stage.whole || waiter.by === stage ? waiter.eligible : QUANTUM;
      const calls = Math.min(waiter.calls, QUANTUM, bound);
      if (full ? !fitsReserve(stage, waiter, calls, own, now) : !fits(stage, waiter, calls, taken, now, false)) {
        if (!full) tellFirst(state, stage, waiter, taken, now);
        full = true;
        break;
      }
      if (wake(state, waiter, now)) hinted += 1;
      if (probeDue(stage.pause, now) || (stage.whole && state.breaker?.probeDue(now) === true)) return;
    }
  }
}

/** Whether it waits for this stage, and may be told that it can start. */
function waits(stage: Stage, waiter: Waiter, now: number): boolean {
  if (now > waiter.pollAt + GRACE_US || waiter.aside || (waiter.by !== stage && waiter.by !== null)) return false;
  return !stage.whole || waiter.eligible > 0;
}

/** False = it will ask in time by itself. */
function wake(state: GateState, waiter: Waiter, now: number): boolean {
  if (waiter.pollAt <= now + HINT_US) return false;
  waiter.pollAt = now + HINT_US;
  state.call(waiter);
  return true;
}

/** It stands first, and does not fit yet: it is told to ask where it would look long after it does. */
function tellFirst(state: GateState, stage: Stage, waiter: Waiter, taken: readonly number[], now: number): void {
  const moment = fitsAt(stage, waiter, taken, now, false);
  if (waiter.pollAt <= moment + TOO_LATE_US) return;
  waiter.pollAt = moment;
  state.call(waiter);
}

/** A permit comes back at `moment`: the first who waits for one, and would look later, is told to ask when. */
export function announceReturn(state: GateState, stages: readonly Stage[], moment: number, now: number): void {
  for (const stage of stages) {
    const waiter = stage.books.some((book) => book instanceof Permits) ? firstForPermit(stage, moment, now) : null;
    if (waiter === null) continue;
    waiter.pollAt = moment;
    state.call(waiter);
  }
}

function firstForPermit(stage: Stage, moment: number, now: number): Waiter | null {
  let seen = 0;
  for (const lane of stage.line.lanes) {
    for (const { waiter } of lane.entries) {
      seen += 1;
      if (seen > LOOKED_AT) return null;
      const late = now > waiter.pollAt + GRACE_US;
      if (!late && waiter.by === stage && FOR_PERMITS.has(waiter.cause) && waiter.pollAt > moment) return waiter;
    }
  }
  return null;
}

/** Whether anything passes the stage at all. */
function open(state: GateState, stage: Stage, now: number): boolean {
  if (shut(stage.pause, now) && !probeDue(stage.pause, now)) return false;
  const { breaker } = state;
  if (!stage.whole || breaker === null) return true;
  return breaker.state === 'open' ? breaker.probeDue(now) : !breaker.rampFull;
}

/**
 * Whether the waiter's head fits into what is left of its lane's reserve, where all else is owed to others; where it does, so
 * many of its calls take their part.
 */
function fitsReserve(stage: Stage, waiter: Waiter, calls: number, own: number[], now: number): boolean {
  const head = waiter.current();
  if (head === undefined || !stage.books.some((book) => book.ownLeft !== undefined)) return false;
  const positions = waiter.plan.positions[waiter.plan.stages.indexOf(stage)] as readonly number[];
  const found = stage.books.every((book, j) => {
    const cost = chargeOf(head, positions[j] as number);
    const taken = own[j] as number;
    const left = book.ownLeft?.(now, waiter.lane) ?? 0;
    return taken + cost <= left && book.moment(now, now, waiter.lane, taken, cost) <= now;
  });
  if (found) take(stage, waiter, calls, own, false);
  return found;
}

/** So many of the waiter's calls take their part. `renewed`: of the accounts that renew themselves only. */
function take(stage: Stage, waiter: Waiter, calls: number, taken: number[], renewed: boolean): void {
  const head = waiter.current();
  if (head === undefined) return;
  const positions = waiter.plan.positions[waiter.plan.stages.indexOf(stage)] as readonly number[];
  for (let j = 0; j < taken.length; j += 1) {
    if (renewed && stage.books[j]?.renews !== true) continue;
    taken[j] = (taken[j] as number) + calls * chargeOf(head, positions[j] as number);
  }
}

/**
 * Whether the waiter's head, which may be `due` a call of its guarantee, fits behind what was taken by those in front; where it
 * does, so many of its calls take their part.
 */
function fits(stage: Stage, waiter: Waiter, calls: number, taken: number[], now: number, due: boolean): boolean {
  if (fitsAt(stage, waiter, taken, now, due) > now) return false;
  take(stage, waiter, calls, taken, false);
  return true;
}

/** When the waiter's head fits behind what was taken by those in front. */
function fitsAt(stage: Stage, waiter: Waiter, taken: readonly number[], now: number, due: boolean): number {
  const head = waiter.current();
  if (head === undefined) return now;
  const positions = waiter.plan.positions[waiter.plan.stages.indexOf(stage)] as readonly number[];
  let moment = now;
  for (let j = 0; j < stage.books.length; j += 1) {
    const cost = chargeOf(head, positions[j] as number);
    const book = stage.books[j] as Book;
    const lane = laneFor(book, waiter.lane, due);
    moment = Math.max(moment, book.moment(now, now, lane, taken[j] as number, cost));
  }
  return moment;
}
