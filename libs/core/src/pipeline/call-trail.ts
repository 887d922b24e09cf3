import type { SluiceErrorCode } from '../errors/sluice-error.js';
import type { StopReason } from '../model/outcome.js';
import type { OperationTrail, Postponed } from '../operations/trail.js';
import type { Trouble } from '../retry/trouble.js';
import type { Clock } from '../time/clock.js';

/** Refusals after which the same call may go through later. */
const LATER: ReadonlySet<SluiceErrorCode> = new Set<SluiceErrorCode>([
  'PAUSED',
  'CIRCUIT_OPEN',
  'QUOTA_EXHAUSTED',
  'QUEUE_FULL',
  'QUEUE_WAIT_EXCEEDED',
  'DEADLINE_EXCEEDED',
  'DEADLINE_UNREACHABLE',
  'GATE_UNAVAILABLE',
  'STORE_UNAVAILABLE',
]);

/** Where nobody says when: often enough to go on soon, and no busy loop. */
const UNTOLD_MS = 1000;
/** The budget is counted by the minute. */
const BUDGET_MS = 60_000;

/** What one call tells whoever runs its operation. */
export class CallTrail {
  private readonly before: Postponed | null;
  private failed = false;

  constructor(
    private readonly trail: OperationTrail,
    private readonly clock: Clock,
  ) {
    this.before = trail.postponed;
  }

  /** It was let through: what was postponed before it began is overtaken. */
  goesOn(): void {
    if (this.trail.postponed === this.before) this.trail.postponed = null;
  }

  /** Its attempt is the retry of what failed in an earlier run. */
  get owesRetry(): boolean {
    return this.trail.owesRetry === true;
  }

  /** An attempt leaves. */
  leaves(): void {
    if (this.trail.owesRetry) this.trail.owesRetry = false;
  }

  /** A write left the process. */
  sent(): void {
    this.trail.sent = true;
  }

  /** One of its attempts failed, and counts. */
  countFailure(): void {
    this.failed = true;
  }

  /** It was refused before it left. */
  refused(code: SluiceErrorCode, budgetSpent: boolean, retryAfterMs: number | null): void {
    if (budgetSpent) this.postpone('budget', retryAfterMs ?? BUDGET_MS);
    else if (LATER.has(code)) this.postpone(this.cause, retryAfterMs);
  }

  /** No further attempt is made within the call. */
  stopped(reason: StopReason | null, trouble: Trouble, waitMs: number | null): void {
    const refused = trouble === 'limited' || trouble === 'overloaded' || trouble === 'locked';
    if (reason === 'budget-exhausted') this.postpone('budget', waitMs ?? BUDGET_MS);
    else if (reason === 'wait-too-long' || reason === 'deadline') this.postpone(this.cause, waitMs);
    else if (reason === 'attempts-exhausted' && refused) this.postpone(this.cause, waitMs);
  }

  /** A run with a failure in it counts, whatever ended it: no run of failures between refusals goes on for ever. */
  private get cause(): 'retry' | 'rescheduled' {
    return this.failed ? 'retry' : 'rescheduled';
  }

  private postpone(cause: Postponed['cause'], waitMs: number | null): void {
    const told = waitMs !== null && waitMs > 0;
    const dueMono = this.clock.monoMs() + (told ? waitMs : UNTOLD_MS);
    this.trail.postponed = { cause, dueMono, ...(cause === 'budget' && !this.failed && { isAttempt: false }) };
  }
}
