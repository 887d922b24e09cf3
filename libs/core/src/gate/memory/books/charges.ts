/** Charges of so many moments are told apart. Beyond, two neighbours become one, at the later of them: less is given back then. */
const MOST = 24;

/**
 * What a bucket was charged, and when, so that a charge that was never used can be taken out as if it had never been made.
 * (What has drained since a grant must not be given back; but of a burst granted at one moment it has drained only once, not
 * once for each of them.) Charges made before the bucket was last empty have drained.
 */
export class Charges {
  private readonly moments: number[] = [];
  private readonly costs: number[] = [];
  /** Level right before the first of them. */
  private before = 0;
  private since = 0;

  /** @param level right before this charge */
  add(now: number, level: number, cost: number): void {
    const { moments, costs } = this;
    const last = moments.length - 1;
    if (last >= 0 && moments[last] === now) {
      costs[last] = (costs[last] as number) + cost;
      return;
    }
    if (last < 0 || level === 0) {
      this.before = level;
      this.since = now;
      moments[0] = now;
      costs[0] = cost;
      if (last > 0) this.cut();
      return;
    }
    moments.push(now);
    costs.push(cost);
    if (moments.length > MOST) this.thin();
  }

  private cut(): void {
    this.moments.length = 1;
    this.costs.length = 1;
  }

  /** Of the older half, every two become one. In place: under load every sixth charge does it. */
  private thin(): void {
    const { moments, costs } = this;
    const pairs = MOST / 4;
    for (let i = 0; i < pairs; i += 1) {
      moments[i] = moments[2 * i + 1] as number;
      costs[i] = (costs[2 * i] as number) + (costs[2 * i + 1] as number);
    }
    for (let i = 2 * pairs; i < moments.length; i += 1) {
      moments[i - pairs] = moments[i] as number;
      costs[i - pairs] = costs[i] as number;
    }
    for (let i = 0; i < pairs; i += 1) {
      moments.pop();
      costs.pop();
    }
  }

  /**
   * Takes `cost` of what was charged at `grantedAt` out.
   *
   * @param level at `now`, with it
   * @returns how much lower the level is without it: nothing of what has drained, or is not remembered
   */
  takeOut(now: number, grantedAt: number, cost: number, level: number, rate: number): number {
    const { moments, costs } = this;
    const found = grantedAt < this.since ? -1 : moments.findIndex((moment) => moment >= grantedAt);
    if (found < 0) return 0;
    const there = costs[found] as number;
    const taken = cost < there ? cost : there;
    costs[found] = there - taken;
    let without = this.before;
    for (let i = 0; i < moments.length; i += 1) {
      const until = i + 1 < moments.length ? (moments[i + 1] as number) : now;
      const left = without + (costs[i] as number) - (until - (moments[i] as number)) * rate;
      without = left > 0 ? left : 0;
    }
    const lower = level - without;
    if (lower <= 0) return 0;
    return lower < taken ? lower : taken;
  }

  /** From now on another rate applies. */
  forget(): void {
    this.moments.length = 0;
    this.costs.length = 0;
  }
}
