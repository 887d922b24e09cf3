/** From lines to asks: what the gate is shown of them. */
import type { AdmissionRequest } from '../admission.js';
import type { Ask, Head, Ticket } from '../port.js';
import { type Line, rankOf, type Waiter } from './line.js';

/** Heads that a ticket shows at once to a gate where others may wait. */
export const QUANTUM = 8;
/** Heads that one shows by itself to a gate which has told it to wait for nothing. */
const MOST_HEADS = 64;

/** Half of those who wait or are under way: the process goes on with the one half while the gate decides on the other. */
function headsOf({ known, count }: Line, alone: boolean, underWay: number): number {
  if (known || !alone) return QUANTUM;
  return Math.min(MOST_HEADS, Math.max(QUANTUM, Math.ceil((count + underWay) / 2)));
}

/**
 * Shows a line's first calls; an empty line is taken out. Remembers in the line who was shown.
 *
 * @param alone nothing else is asked for in the same step
 * @param underWay permits of this process that are out
 */
export function askOf(line: Line, nowMono: number, alone: boolean, underWay: number): Ask {
  const most = headsOf(line, alone, underWay);
  const shown: Waiter[] = [];
  const heads: Head[] = [];
  for (let waiter = line.first; waiter !== null && heads.length < most; waiter = waiter.next) {
    shown.push(waiter);
    heads.push(headOf(waiter.id, waiter.request, waiter.charges, sinceUs(waiter.rankMono, nowMono), waiter.observe));
  }
  line.sent = shown;
  line.moved = false;
  return {
    ticket: line.ticket,
    waiting: line.count,
    heads,
    newestWaitedUs: line.last === null ? 0 : sinceUs(line.last.rankMono, nowMono),
  };
}

/** One call that has come now, as the gate is shown it. */
export function newcomer(id: number, request: AdmissionRequest, charges: readonly number[], nowMono: number): Head {
  return headOf(id, request, charges, sinceUs(rankOf(request, nowMono), nowMono), request.observe);
}

/** Shows one call that stands in no line yet. */
export function askAlone(ticket: Ticket, head: Head): Ask {
  return { ticket, waiting: 1, heads: [head], newestWaitedUs: head.waitedUs };
}

function headOf(
  id: number,
  { kind, safety, attemptMs, place }: AdmissionRequest,
  charges: readonly number[],
  waitedUs: number,
  observe: boolean,
): Head {
  return { id, waitedUs, charges, kind, safety, attemptUs: Math.round(attemptMs * 1000), place, observe };
}

function sinceUs(fromMono: number, nowMono: number): number {
  return Math.round((nowMono - fromMono) * 1000);
}
