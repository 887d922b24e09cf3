/** Charges of so many moments are remembered, for so long: what is given back later is given back in part only. */
const MOST = 64;
const KEEP_US = 1_000_000;

/**
 * The last charges of a bucket, so that one that was never used can be taken out as if it had never been made. (What has
 * drained since a grant must not be given back; but of a burst granted at one moment it has drained only once, not once for
 * each of them.) Those of one moment are one charge. Whatever else changes the level forgets them.
 */
export class RecentCharges {
  private readonly ats: number[] = [];
  private readonly costs: number[] = [];
  private first = 0;
  /** Level right before the first of them. */
  private before = 0;

  /** @param level right before this charge */
  add(now: number, level: number, cost: number, rate: number): void {
    const { ats, costs } = this;
    const last = ats.length - 1;
    if (last >= this.first && ats[last] === now) {
      costs[last] = (costs[last] as number) + cost;
      return;
    }
    while (this.first < ats.length && this.isOld(now)) this.dropFirst(rate);
    if (this.first === ats.length) {
      this.forget();
      this.before = level;
    }
    ats.push(now);
    costs.push(cost);
  }

  /** The level at `now` as it would be had `cost` of the charge at `grantedAt` not been made; null = not remembered. */
  without(now: number, grantedAt: number, cost: number, rate: number): number | null {
    const { ats, costs, first } = this;
    let found = -1;
    for (let i = ats.length - 1; i >= first && found < 0; i -= 1) {
      if (ats[i] === grantedAt && (costs[i] as number) >= cost) found = i;
    }
    if (found < 0) return null;
    costs[found] = (costs[found] as number) - cost;
    let level = this.before;
    for (let i = first; i < ats.length; i += 1) {
      const until = i + 1 < ats.length ? (ats[i + 1] as number) : now;
      level = drained(level + (costs[i] as number), until - (ats[i] as number), rate);
    }
    return level;
  }

  forget(): void {
    this.ats.length = 0;
    this.costs.length = 0;
    this.first = 0;
  }

  private isOld(now: number): boolean {
    return this.ats.length - this.first >= MOST || now - (this.ats[this.first] as number) > KEEP_US;
  }

  private dropFirst(rate: number): void {
    const { ats, costs, first } = this;
    this.first += 1;
    if (this.first === ats.length) return this.forget();
    const lasted = (ats[this.first] as number) - (ats[first] as number);
    this.before = drained(this.before + (costs[first] as number), lasted, rate);
    if (this.first >= MOST) {
      ats.splice(0, this.first);
      costs.splice(0, this.first);
      this.first = 0;
    }
  }
}

function drained(level: number, us: number, rate: number): number {
  const left = level - us * rate;
  return left > 0 ? left : 0;
}
