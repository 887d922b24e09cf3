import { atLeast0, type Correction, type Counter, type Instant } from './counter.js';

/** A limit that lets nothing through for a while once it has refused. What is refused in that while prolongs nothing. */
export class Penalised implements Counter {
  private untilUs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly counter: Counter,
    private readonly penaltyUs: number,
  ) {}

  waitUs(now: Instant, cost: number): number | null {
    const wait = this.counter.waitUs(now, cost);
    return wait === null ? null : Math.max(wait, this.leftUs(now));
  }

  charge(now: Instant, cost: number): Correction {
    return this.counter.charge(now, cost);
  }

  giveBack(cost: number): void {
    this.counter.giveBack?.(cost);
  }

  refused(now: Instant): void {
    if (this.leftUs(now) === 0) this.untilUs = now.monoUs + this.penaltyUs;
  }

  remaining(now: Instant): number {
    return this.leftUs(now) > 0 ? 0 : this.counter.remaining(now);
  }

  resetUs(now: Instant): number | null {
    const reset = this.counter.resetUs(now);
    return reset === null ? null : Math.max(reset, this.leftUs(now));
  }

  private leftUs({ monoUs }: Instant): number {
    return atLeast0(this.untilUs - monoUs);
  }
}
