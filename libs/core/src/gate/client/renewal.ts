/** What a new contract means for those who wait. */
import type { ResolvedContract, ResolvedLimit } from '../../contract/resolved.js';
import type { Line, Waiter } from './line.js';
import type { Lines } from './lines.js';
import type { TicketBook } from './tickets.js';

/** Judges all waiting calls anew under a contract that has replaced another. They keep their order; none is refused for the change itself. */
export function renewLines(
  lines: Lines,
  tickets: TicketBook,
  before: ResolvedContract,
  after: ResolvedContract,
  /** A call that names no value for a dimension that is counted now. */
  refuse: (waiter: Waiter, error: unknown) => void,
): void {
  const waiting = waitersOf(lines).filter((waiter) => waiter.observed === null);
  for (const waiter of waiting) {
    if (after.lanes[waiter.request.lane]?.mode === 'observe') waiter.observe = true;
  }
  if (sameShape(before, after)) {
    for (const line of lines.all()) if (line.count > 0) lines.markDirty(line);
    return;
  }
  for (const waiter of waiting) {
    let line: Line;
    try {
      line = lines.lineOf(tickets.ticketOf(waiter.request));
    } catch (error) {
      refuse(waiter, error);
      continue;
    }
    lines.move(waiter, line, tickets.chargesOf(waiter.request.route, waiter.request.units));
  }
}

/** All who wait, in order of arrival. */
export function waitersOf(lines: Lines): Waiter[] {
  const waiting: Waiter[] = [];
  for (const line of lines.all()) {
    for (let waiter = line.first; waiter !== null; waiter = waiter.next) waiting.push(waiter);
  }
  return waiting.sort((left, right) => left.id - right.id);
}

/** Whether tickets and charges stay what they are: only numbers have changed. */
function sameShape(before: ResolvedContract, after: ResolvedContract): boolean {
  return (
    before.limits.length === after.limits.length &&
    before.limits.every((limit, index) => sameLimit(limit, after.limits[index] as ResolvedLimit)) &&
    JSON.stringify(before.defaultUnits) === JSON.stringify(after.defaultUnits)
  );
}

function sameLimit(left: ResolvedLimit, right: ResolvedLimit): boolean {
  return (
    left.name === right.name &&
    left.kind === right.kind &&
    left.unit === right.unit &&
    left.countedBy.join() === right.countedBy.join() &&
    (left.routes === null ? right.routes === null : left.routes.join() === right.routes?.join())
  );
}
