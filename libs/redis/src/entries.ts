/** Asks and settles that no call stands behind: they enter in books what has happened elsewhere. */
import type { Ask, Grant, LeaseId, Settle, StepReply, Ticket, Wait } from '../../core/src/index.js';

/** An ask for one call that is on its way whatever the judgement. */
export function askFor(ticket: Ticket, charges: readonly number[], attemptUs = 0): Ask {
  return {
    ticket,
    waiting: 1,
    newestWaitedUs: 0,
    heads: [
      {
        id: 0,
        waitedUs: 0,
        charges,
        kind: 'repeat',
        safety: 'safe',
        attemptUs,
        place: null,
        observe: true,
      },
    ],
  };
}

/** An end that tells nothing of the provider. */
export function ended(leaseId: LeaseId, ticket: Ticket, end: Settle['end'] = 'answered'): Settle {
  return { leaseId, ticket, end, health: 'none', refusal: null, trueCharges: null, seen: [], retry: null };
}

/** So long after a loss the other processes have charged what was theirs of it. */
const RECALLED_US = 50_000;

/** In place of a grant that was given back. */
export function againSoon({ ticketKey }: Grant, { nowUs }: StepReply): Wait {
  const atUs = nowUs + RECALLED_US;
  return { ticketKey, pollAtUs: atUs, cause: 'line', limit: null, estimateUs: atUs, certainUs: nowUs };
}
