import type { Book } from '../books/book.js';
import { Permits } from '../books/permits.js';
import type { Stage } from '../model.js';
import type { GateState } from '../state.js';
import { Ahead } from './ahead.js';
import type { BookRecord, PermitsRecord, StageRecord } from './record.js';

/**
 * What a store is to be told of a stage, the credit of its limits included.
 *
 * @param closing nothing more is granted: it is told exactly
 */
export function recordOf(state: GateState, stage: Stage, now: number, wallMs: number, closing: boolean): StageRecord {
  const books: Record<string, BookRecord> = {};
  const permits: Record<string, PermitsRecord> = {};
  for (const ahead of stage.books) {
    if (!(ahead instanceof Ahead)) continue;
    const { inner } = ahead;
    const name = state.contract.limits[inner.limit]?.name ?? '';
    const more = ahead.offer(now, closing);
    if (inner instanceof Permits) permits[name] = { held: more, forUs: closing ? heldFor(state, inner, now) : null };
    const credit = inner instanceof Permits ? 0 : more;
    const shutForUs = Math.max(0, inner.shutUntil - now);
    books[name] = { saved: inner.save(now), more: credit === Infinity ? null : credit, shutForUs };
  }
  const { breaker } = state;
  const breakerOpen = stage.whole && breaker !== null && breaker.state === 'open';
  return {
    wallMs,
    gateUs: now,
    books,
    permits,
    pause: pauseOf(stage, now),
    breakerForUs: breakerOpen ? Math.max(0, breaker.openUntil - now) : null,
  };
}

function pauseOf({ pause }: Stage, now: number): StageRecord['pause'] {
  if (!pause.active) return null;
  const { step, hinted, tested } = pause;
  return { forUs: Math.max(0, pause.until - now), lastedUs: Math.max(0, now - pause.beganAt), step, hinted, tested };
}

/** Until the last lease that holds of it ends by itself. */
function heldFor({ leaseExpiry }: GateState, book: Book, now: number): number {
  let until = now;
  for (let i = 0; i < leaseExpiry.size; i += 1) {
    const { due, plan } = leaseExpiry.at(i);
    if (due > until && plan.books.some((books) => books.includes(book))) until = due;
  }
  return until - now;
}

/** How long it has to be kept at least: what the provider said of pauses and resets may outlast every window. */
export function lastsMs({ books, pause }: StageRecord): number {
  const shut = Object.values(books).map(({ shutForUs }) => shutForUs);
  return Math.max(0, pause?.forUs ?? 0, ...shut) / 1000;
}
