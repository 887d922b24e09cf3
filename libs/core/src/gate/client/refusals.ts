/** Every refusal of the line, in words: what happened, at which provider, when to come again. Tenants and partitions are not named. */
import { limitNameOf } from '../../contract/limit-name.js';
import type { ResolvedContract } from '../../contract/resolved.js';
import { SluiceError, type SluiceErrorCode } from '../../errors/sluice-error.js';
import type { Clock } from '../../time/clock.js';
import { dateOf } from '../../time/dates.js';
import type { WaitCause } from '../port.js';
import type { Unreachable } from './judge.js';
import type { FullQueue } from './places.js';
import type { Waiter } from './line.js';

const budgetRefusals = new WeakSet<object>();

/** Whether a call was refused because the retry budget is spent: there is no code of its own for it. */
export function isBudgetRefusal(error: unknown): boolean {
  return typeof error === 'object' && error !== null && budgetRefusals.has(error);
}

const CODE_OF_CAUSE: Partial<Record<WaitCause, SluiceErrorCode>> = {
  pause: 'PAUSED',
  breaker: 'CIRCUIT_OPEN',
  quota: 'QUOTA_EXHAUSTED',
};

/** Makes the refusals of one provider. */
export class Refusals {
  constructor(
    private readonly clock: Clock,
    private readonly contractNow: () => ResolvedContract,
  ) {}

  queueFull(full: FullQueue, retryAtMono: number | null): SluiceError {
    const whose = { provider: 'the queue', lane: 'the queue of this lane', tenant: 'the queue of this tenant' }[
      full.whose
    ];
    const lane = full.whose === 'lane' ? ` (${full.lane})` : '';
    const option = {
      provider: 'queue.maxSize',
      lane: 'lanes.<lane>.maxQueued',
      tenant: 'tenants.maxQueued or tenants.maxShare',
    }[full.whose];
    return this.error(
      'QUEUE_FULL',
      `${whose}${lane} is full: ${full.size} ${full.size === 1 ? 'call waits' : 'calls wait'} already. Come again later, or raise ${option}.`,
      retryAtMono,
    );
  }

  shutdown(): SluiceError {
    return this.error('SHUTDOWN', 'the application is stopping; nothing new is sent. Let another replica do it.', null);
  }

  gateUnavailable(kind: string, cause: unknown): SluiceError {
    return this.error('GATE_UNAVAILABLE', `the ${kind} gate failed; the call was not sent. Try again.`, null, cause);
  }

  gateAway(retryAtMono: number | null): SluiceError {
    return this.error(
      'GATE_UNAVAILABLE',
      "the gate's shared store does not answer, and `outage` of the contract says to send nothing then. Come again at retryAt.",
      retryAtMono,
    );
  }

  neverAdmissible(limit: number | null): SluiceError {
    const name = this.limitName(limit);
    const which = name === null ? 'a limit' : `the limit "${name}"`;
    return this.error(
      'NEVER_ADMISSIBLE',
      `the call costs more than ${which} ever admits at once. Lower its units, or raise the limit.`,
      null,
    );
  }

  circuitOpen(retryAtMono: number | null): SluiceError {
    const known = retryAtMono !== null && Number.isFinite(retryAtMono);
    const next = known
      ? `; it tries again in ${ms(retryAtMono - this.clock.monoMs())}. Come again at retryAt.`
      : '. Come again later, or serve what you have.';
    return this.error('CIRCUIT_OPEN', `its circuit breaker is open after repeated failures${next}`, retryAtMono);
  }

  budgetSpent(retryAtMono: number | null): SluiceError {
    const error = this.error(
      'QUOTA_EXHAUSTED',
      'its retry budget is spent; this retry is not sent. Come again later, or raise retry.budget.',
      retryAtMono,
    );
    budgetRefusals.add(error);
    return error;
  }

  /** It cannot start in time, as far as anybody can tell now. */
  cannotStart(found: Unreachable, waiter: Waiter): SluiceError {
    const code = CODE_OF_CAUSE[found.cause];
    const name = this.limitName(found.limit);
    const holds = name === null ? `(${found.cause})` : `(${found.cause}: limit "${name}")`;
    const bound = found.byDeadline ? waiter.startByMono : waiter.waitUntilMono;
    const nowMono = this.clock.monoMs();
    const whole = `it would have to wait ${ms(found.startMono - nowMono)}`;
    const allowed = `may wait ${ms(bound - nowMono)}${found.byDeadline ? ' before its deadline' : ' in line'}`;
    return this.error(
      code ?? (found.byDeadline ? 'DEADLINE_UNREACHABLE' : 'QUEUE_WAIT_EXCEEDED'),
      `the call cannot start in time ${holds}: ${whole}, but ${allowed}. Come again at retryAt, or allow more time.`,
      found.startMono,
    );
  }

  /** Less time is left than the attempt needs, before anything was asked. A call that had no more from the start never fits. */
  tooLate({ request }: Waiter, deadlineMono: number, nowMono: number): SluiceError {
    if (deadlineMono <= nowMono) {
      return this.error('DEADLINE_EXCEEDED', 'the deadline of the call has passed; it was not sent.', nowMono);
    }
    const neverFits = deadlineMono - (request.arrivedMono ?? nowMono) < request.needMs;
    const needs =
      request.safety === 'unkeyed'
        ? `a write without an idempotency key needs the whole of timeouts.attempt, ${ms(request.needMs)}, for one that is cut short ` +
          'may have happened. Allow a longer deadline, lower timeouts.attempt, or declare its key or that it is safe.'
        : `the attempt needs ${ms(request.needMs)}. Allow a longer deadline.`;
    return this.error(
      'DEADLINE_UNREACHABLE',
      `${ms(deadlineMono - nowMono)} are left before the deadline, but ${needs}`,
      neverFits ? null : nowMono,
    );
  }

  /** Its last moment passed while it waited. */
  waitedTooLong(waiter: Waiter, cause: WaitCause | null, retryAtMono: number | null): SluiceError {
    const waited = `it waited ${ms(this.clock.monoMs() - waiter.arrivedMono)}${cause === null ? '' : ` (${cause})`}`;
    return waiter.at === waiter.startByMono
      ? this.error(
          'DEADLINE_EXCEEDED',
          `the deadline of the call came while ${waited}; it was not sent. Allow more time, or come again later.`,
          retryAtMono,
        )
      : this.error(
          'QUEUE_WAIT_EXCEEDED',
          `${waited} in line, the longest it may; it was not sent. Come again later, or raise queue.maxWait.`,
          retryAtMono,
        );
  }

  limitName(limit: number | null): string | null {
    return limitNameOf(this.contractNow(), limit);
  }

  private error(code: SluiceErrorCode, what: string, retryAtMono: number | null, cause?: unknown): SluiceError {
    const provider = this.contractNow().name;
    const known = retryAtMono !== null && Number.isFinite(retryAtMono);
    const retryAfterMs = known ? Math.max(0, Math.ceil(retryAtMono - this.clock.monoMs() - 1e-6)) : null;
    return new SluiceError({
      code,
      provider,
      message: `Provider "${provider}": ${what}`,
      retryAfterMs,
      retryAt: retryAfterMs === null ? null : dateOf(this.clock.wallMs() + retryAfterMs),
      cause,
    });
  }
}

function ms(value: number): string {
  return `${Math.max(0, Math.round(value))} ms`;
}
