import { atLeast0, type Correction, type Counter, type Instant } from './counter.js';

/** Tokens are kept multiplied by the period in microseconds, as integers: a refill of `limit` per period is exact at every moment. */
export class TokenBucketCounter implements Counter {
  private readonly perUs: bigint;
  private readonly ratePerUs: bigint;
  private readonly full: bigint;
  private level: bigint;
  private atUs: number | null = null;

  constructor(burst: number, limit: number, perUs: number) {
    this.perUs = BigInt(perUs);
    this.ratePerUs = BigInt(limit);
    this.full = BigInt(burst) * this.perUs;
    this.level = this.full;
  }

  waitUs(now: Instant, cost: number): number | null {
    this.refill(now);
    const need = BigInt(cost) * this.perUs;
    if (need <= this.level) return 0;
    return need > this.full ? null : this.timeFor(need - this.level);
  }

  charge(now: Instant, cost: number): Correction {
    this.refill(now);
    const left = this.level - BigInt(cost) * this.perUs;
    // What is refused makes no debt; what turned out dearer than it was charged does.
    this.level = left > 0n ? left : this.level < 0n ? this.level : 0n;
    return (later, actual) => {
      this.refill(later);
      const corrected = this.level - BigInt(actual - cost) * this.perUs;
      this.level = corrected < this.full ? corrected : this.full;
    };
  }

  remaining(now: Instant): number {
    this.refill(now);
    return atLeast0(Number(this.level / this.perUs));
  }

  resetUs(now: Instant): number {
    this.refill(now);
    return this.timeFor(this.full - this.level);
  }

  private timeFor(amount: bigint): number {
    return Number((amount + this.ratePerUs - 1n) / this.ratePerUs);
  }

  private refill({ monoUs }: Instant): void {
    const elapsed = BigInt(monoUs - (this.atUs ?? monoUs));
    const level = this.level + elapsed * this.ratePerUs;
    this.level = level < this.full ? level : this.full;
    this.atUs = monoUs;
  }
}
