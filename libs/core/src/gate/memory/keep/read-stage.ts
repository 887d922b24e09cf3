import type { Book } from '../books/book.js';
import { Permits } from '../books/permits.js';
import type { Lapse } from '../books/saved.js';
import { PERMIT_CHARGE } from '../layout.js';
import { Lease, type Plan, type Stage } from '../model.js';
import type { GateState } from '../state.js';
import { Ahead } from './ahead.js';
import type { StageRecord } from './record.js';

const NONE: Lapse = { agoUs: 0, aheadUs: 0 };

/** What is known of a stage from before. */
export interface Known {
  /** One of each process that wrote of it; null = what one wrote cannot be read. */
  readonly records: readonly (StageRecord | null)[];
  /** When they were read, by the gate's time and by the wall. */
  readonly readUs: number;
  readonly readWallMs: number;
  /** The latest moment at which a process may have used a credit that it had told nobody of; -Infinity = none. */
  readonly gapUs: number;
}

/**
 * Brings a new stage to at least what each of the records says: which of the processes this one follows, and which go on
 * beside it, nobody knows, and every one of them may be the one. True = something was known.
 */
export function restoreStage(state: GateState, stage: Stage, known: Known, now: number): boolean {
  let any = false;
  for (const book of stage.books) {
    if (!(book instanceof Ahead)) continue;
    const restored =
      book.inner instanceof Permits
        ? restorePermits(state, stage, book.inner, book, known)
        : restoreBook(state, book, known, now);
    any ||= restored;
  }
  for (const record of known.records) {
    if (record === null) continue;
    const { readUs, readWallMs } = known;
    const agoUs = lapseOf(record, readWallMs).agoUs;
    if (record.pause !== null) restorePause(stage, record.pause, readUs, agoUs, state.seq);
    if (stage.whole && record.breakerForUs !== null) {
      state.breaker?.reopen(readUs - agoUs + record.breakerForUs, state.seq);
    }
  }
  return any || stage.pause.active;
}

/** A wall clock that was set back counts as if no time had passed; one ticks in whole milliseconds. */
function lapseOf({ wallMs, gateUs }: StageRecord, readWallMs: number): Lapse {
  return { agoUs: Math.max(0, readWallMs - wallMs - 1) * 1000, aheadUs: wallMs * 1000 - gateUs };
}

function restoreBook(
  state: GateState,
  ahead: Ahead,
  { records, readUs, readWallMs, gapUs }: Known,
  now: number,
): boolean {
  const { inner } = ahead;
  const name = state.contract.limits[inner.limit]?.name ?? '';
  let any = false;
  if (gapUs + inner.refillUs(now) > now) {
    inner.restore(gapUs, null, NONE, ahead.base(gapUs));
    any = true;
  }
  for (const record of records) {
    const book = record?.books[name];
    if (record !== null && book === undefined) continue;
    any = true;
    if (record === null || book === undefined) {
      inner.restore(readUs, null, NONE, Infinity);
      continue;
    }
    const lapse = lapseOf(record, readWallMs);
    try {
      inner.restore(readUs, book.saved, lapse, book.more ?? Infinity);
    } catch {
      // It was saved for a limit of another kind under this name.
      inner.restore(readUs, null, NONE, Infinity);
    }
    inner.shutUntil = Math.max(inner.shutUntil, book.shutForUs > 0 ? readUs - lapse.agoUs + book.shutForUs : 0);
  }
  return any;
}

/** Attempts of a process that is gone may go on at the provider: their permits are held until they must have ended. */
function restorePermits(
  state: GateState,
  stage: Stage,
  book: Permits,
  ahead: Ahead,
  { records, readUs, readWallMs, gapUs }: Known,
): boolean {
  const name = state.contract.limits[book.limit]?.name ?? '';
  const longestUs = state.contract.timeouts.attemptMs * 1000 + book.worksAfterUs + state.guardUs;
  const held: { count: number; due: number }[] = [];
  if (gapUs > -Infinity) held.push({ count: ahead.base(gapUs), due: gapUs + longestUs });
  for (const record of records) {
    const permits = record?.permits[name];
    if (record === null) held.push({ count: book.capacity, due: readUs + longestUs });
    else if (permits !== undefined) {
      const { agoUs } = lapseOf(record, readWallMs);
      const due = permits.forUs === null ? readUs + longestUs : readUs - agoUs + permits.forUs;
      held.push({ count: permits.held, due });
    }
  }
  const live = held.filter(({ count, due }) => count > 0 && due > state.now);
  const most = Math.max(0, ...live.map(({ count }) => count));
  for (let i = 0; i < most; i += 1) {
    const due = Math.max(...live.filter(({ count }) => count > i).map((one) => one.due));
    holdPermit(state, stage, book, due);
  }
  return most > 0;
}

function holdPermit(state: GateState, stage: Stage, book: Permits, due: number): void {
  const lane = state.contract.lanes.length - 1;
  const books: readonly Book[] = [book];
  const plan: Plan = {
    version: -1,
    lane,
    tenant: '',
    stages: [stage],
    books: [books],
    positions: [[PERMIT_CHARGE]],
    stageOf: new Map(),
    narrowest: 0,
    permits: [book],
  };
  const lease = new Lease(0, plan, [], 'repeat', lane, state.now, due);
  lease.settled = true;
  book.charge(state.now, lane);
  state.leaseExpiry.push(lease);
}

/** Every attempt of the new process is granted after it began. */
function restorePause(
  { pause }: Stage,
  saved: NonNullable<StageRecord['pause']>,
  readUs: number,
  agoUs: number,
  seq: number,
): void {
  const until = readUs - agoUs + saved.forUs;
  // An operator's pause is simply over at its end.
  if (!saved.tested && until <= readUs) return;
  pause.beganAt = pause.active
    ? Math.min(pause.beganAt, readUs - agoUs - saved.lastedUs)
    : readUs - agoUs - saved.lastedUs;
  pause.until = pause.active ? Math.max(pause.until, until) : until;
  pause.step = Math.max(pause.active ? pause.step : 0, saved.step);
  pause.hinted = saved.hinted;
  pause.tested ||= saved.tested;
  pause.epoch = seq;
  pause.active = true;
}
