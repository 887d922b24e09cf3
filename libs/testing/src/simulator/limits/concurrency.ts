import { atLeast0, type Correction, type Counter } from './counter.js';

/** Counts what is under way. A charge is held until it is given back. */
export class ConcurrencyCounter implements Counter {
  private active = 0;

  constructor(private readonly limit: number) {}

  waitUs(_now: unknown, cost: number): number | null {
    return this.active + cost <= this.limit ? 0 : null;
  }

  charge(_now: unknown, cost: number): Correction {
    this.active += cost;
    // What is held is given back as it was taken.
    return () => undefined;
  }

  giveBack(cost: number): void {
    this.active -= cost;
  }

  remaining(): number {
    return atLeast0(this.limit - this.active);
  }

  resetUs(): null {
    return null;
  }
}
