import { atLeast0, type Correction, type Counter, type Instant } from './counter.js';

interface Charge {
  readonly atUs: number;
  cost: number;
}

/** Remembers every charge of the last period: at most `limit` within (t - per, t], for every t. */
export class SlidingWindowCounter implements Counter {
  private charges: Charge[] = [];
  private first = 0;
  private used = 0;

  constructor(
    private readonly limit: number,
    private readonly perUs: number,
  ) {}

  waitUs(now: Instant, cost: number): number | null {
    this.forget(now);
    let excess = this.used + cost - this.limit;
    if (excess <= 0) return 0;
    for (let i = this.first; i < this.charges.length; i += 1) {
      const charge = this.charges[i] as Charge;
      excess -= charge.cost;
      if (excess <= 0) return charge.atUs + this.perUs - now.monoUs;
    }
    return null;
  }

  charge(now: Instant, cost: number): Correction {
    const charge: Charge = { atUs: now.monoUs, cost };
    this.charges.push(charge);
    this.used += cost;
    return (later, actual) => {
      if (charge.atUs <= later.monoUs - this.perUs) return;
      this.used += actual - charge.cost;
      charge.cost = actual;
    };
  }

  remaining(now: Instant): number {
    this.forget(now);
    return atLeast0(this.limit - this.used);
  }

  resetUs(now: Instant): number {
    this.forget(now);
    const oldest = this.charges[this.first];
    return oldest === undefined ? 0 : oldest.atUs + this.perUs - now.monoUs;
  }

  private forget({ monoUs }: Instant): void {
    let oldest = this.charges[this.first];
    while (oldest !== undefined && oldest.atUs <= monoUs - this.perUs) {
      this.used -= oldest.cost;
      this.first += 1;
      oldest = this.charges[this.first];
    }
    if (this.first > 1_000 && this.first * 2 > this.charges.length) {
      this.charges = this.charges.slice(this.first);
      this.first = 0;
    }
  }
}
