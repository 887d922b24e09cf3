import type { Clock } from '../time/clock.js';
import { dateOf } from '../time/dates.js';
import type { CurrentCall } from './call.js';
import type { CallEnv } from './call-env.js';
import type { CallPlan } from './call-plan.js';
import type { CutSignal } from './cut-signal.js';
import type { Wire } from './wire.js';

/**
 * What `currentCall()` tells inside an attempt. A socket keeps the async context of the attempt that it served last, and of
 * the one that opened it, for as long as it lives: once the attempt is over, nothing of its request hangs on this.
 */
export class CurrentAttempt implements CurrentCall {
  readonly provider: string;
  readonly attempt: number;
  private readonly clock: Clock;
  private readonly cut: CutSignal;

  constructor(
    { clock, contract }: CallEnv,
    private plan: Pick<CallPlan, 'deadlineMono'>,
    wire: Wire,
    readonly idempotencyKey: string | null,
    readonly operationId: string | null,
  ) {
    this.provider = contract.name;
    this.attempt = wire.number;
    this.clock = clock;
    this.cut = wire.cutSignal;
  }

  get signal(): AbortSignal {
    return this.cut.signal;
  }

  get remainingMs(): number {
    return Math.max(0, this.plan.deadlineMono - this.clock.monoMs());
  }

  get deadlineAt(): Date {
    return dateOf(this.clock.wallMs() + this.remainingMs);
  }

  /** The attempt is over: its deadline is what it was. */
  over(): void {
    this.plan = { deadlineMono: this.plan.deadlineMono };
  }
}
