/** How a run of an operation ends: pure, for a caller's run and a worker's alike. */
import { isSluiceError, type SluiceErrorCode } from '../errors/sluice-error.js';
import { endedUnknown } from '../idempotency/ends.js';
import type { Inside } from './inside.js';
import type { Ending } from './port/hold.js';
import type { DeadCause } from './states.js';
import { storedErrorOf } from './stored-error-of.js';
import type { Postponed } from './trail.js';

/** What the one who ran it knows when the run is over. */
export interface RunFacts {
  /** Whether a worker may go on with it later: its invocation is stored. */
  readonly durable: boolean;
  /** Whether a write of it may have left, in this run or an earlier one. */
  readonly sent: boolean;
  /** Whether a write of this run left and nobody knows with what outcome. */
  readonly unsettled: boolean;
  readonly postponed: Postponed | null;
  /** Of the operation inside, with a key of its own, that ended it. */
  readonly inside: Inside | null;
  /** What ended it from outside: its caller gave up, this process stops, or its hold was not renewed in time. */
  readonly gaveUp: 'caller' | 'shutdown' | 'lost' | null;
  /** Failures that earlier runs counted. */
  readonly attempts: number;
  /** From the provider's contract. */
  readonly maxAttempts: number;
  /** `retry.budget.onSpent` is `dead-letter`: what finds the budget spent is given up. */
  readonly deadOnSpentBudget: boolean;
  readonly nowMono: number;
  /** How long after it became uncertain it is to be looked up, in ms. */
  readonly checkInMs: number;
}

/** The end of a run that gave a result. */
export function succeeded(result: string | null): Ending {
  return { to: 'done', cause: 'completed', result };
}

/** The end of a run that threw. What may have happened comes first: whatever else is true, it is not sent again. */
export function endingOf(error: unknown, facts: RunFacts): Ending {
  const { durable, sent, gaveUp } = facts;
  const inside = endedUnknown(error) ? facts.inside : null;
  const postponed = postponedInside(error, inside, facts.nowMono) ?? facts.postponed;
  const kept = storedErrorOf(error);
  if (facts.unsettled || (endedUnknown(error) && inside === null)) {
    return { to: 'uncertain', cause: 'outcome-unknown', checkInMs: facts.checkInMs, error: kept };
  }
  const withdrawn: Ending = sent
    ? { to: 'dead', cause: 'cancelled', error: kept }
    : { to: 'discarded', cause: 'not-sent', error: kept };
  if (gaveUp === 'shutdown' || gaveUp === 'lost' || isSluiceError(error, 'SHUTDOWN')) {
    return durable ? { to: 'queued', cause: 'given-back' } : withdrawn;
  }
  if (gaveUp === 'caller') return durable && sent ? { to: 'queued', cause: 'given-back' } : withdrawn;
  if (inside === 'given-up') return durable ? { to: 'dead', cause: 'unresolved', error: kept } : withdrawn;
  if (postponed !== null) return durable ? later(error, postponed, facts) : withdrawn;
  return { to: 'dead', cause: deathOf(error), error: kept };
}

/** An operation inside this one, of another key, cannot be done now: neither can this one. */
function postponedInside(error: unknown, inside: Inside | null, nowMono: number): Postponed | null {
  if (inside === 'looked-up') return { cause: 'rescheduled', dueMono: nowMono + LOOKED_UP_MS };
  if (!isSluiceError(error) || !LATER.has(error.code)) return null;
  return { cause: 'rescheduled', dueMono: nowMono + (error.retryAfterMs ?? UNTOLD_MS) };
}

const LATER: ReadonlySet<SluiceErrorCode> = new Set(['DEFERRED', 'OPERATION_IN_PROGRESS', 'STORE_UNAVAILABLE']);
/** A lookup is one more call at least. */
const LOOKED_UP_MS = 10_000;
/** Where nobody says when: soon, and no busy loop. */
const UNTOLD_MS = 1_000;

function later(error: unknown, { cause, dueMono, isAttempt = true }: Postponed, facts: RunFacts): Ending {
  const kept = storedErrorOf(error);
  if (cause === 'budget' && facts.deadOnSpentBudget) return { to: 'dead', cause: 'budget-exhausted', error: kept };
  const dueInMs = Math.max(0, dueMono - facts.nowMono);
  if (cause === 'rescheduled' || !isAttempt) return { to: 'waiting', cause: 'rescheduled', dueInMs, error: kept };
  // What failed in this run counts, or it would go on for ever.
  if (facts.attempts + 1 >= facts.maxAttempts) return { to: 'dead', cause: 'attempts-exhausted', error: kept };
  return { to: 'waiting', cause: 'retry', dueInMs, error: kept };
}

/** Of safe and keyed requests: they come when no further attempt is made. */
const NO_ANSWER: ReadonlySet<SluiceErrorCode> = new Set(['ATTEMPT_TIMEOUT', 'CONNECT_TIMEOUT', 'BODY_TIMEOUT']);

function deathOf(error: unknown): DeadCause {
  if (isSluiceError(error, 'AUTH_FAILED')) return 'auth';
  if (isSluiceError(error) && NO_ANSWER.has(error.code)) return 'attempts-exhausted';
  switch (stopReason(error)) {
    case 'auth':
      return 'auth';
    case 'attempts-exhausted':
      return 'attempts-exhausted';
    case 'budget-exhausted':
      return 'budget-exhausted';
    default:
      return 'rejected';
  }
}

/** Why the module stopped, on the client's own error. */
function stopReason(error: unknown): unknown {
  if (typeof error !== 'object' || error === null) return null;
  return (error as { sluice?: { reason?: unknown } | null }).sluice?.reason ?? null;
}
