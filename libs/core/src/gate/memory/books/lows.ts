/** So many marks are kept. Beyond, the two whose levels differ least become one, at the lower of them: so much less is given back. */
const MOST = 16;

/**
 * How low the level of a bucket has been since any moment, however long ago. Of a charge that is taken back, so much has not drained yet: what
 * has drained while the level stood above it would have drained from other charges, had it not been made, and is given back;
 * what had drained to the ground is free already. The level falls between charges, so that it is lowest right before one: of
 * those moments only the ones after which it has never been lower are kept.
 */
export class Lows {
  /** Oldest first, and the lowest first. Before each moment, and not before the one that stands before it, this was the lowest. */
  private readonly moments: number[] = [];
  private readonly levels: number[] = [];

  /** @param level right before a charge at `now` */
  note(now: number, level: number): void {
    const { moments, levels } = this;
    let last = moments.length - 1;
    if (last >= 0 && moments[last] === now && (levels[last] as number) <= level) return;
    while (last >= 0 && (levels[last] as number) >= level) last -= 1;
    last += 1;
    moments[last] = now;
    levels[last] = level;
    if (moments.length > last + 1) {
      moments.length = last + 1;
      levels.length = last + 1;
    } else if (last === MOST) this.thin();
  }

  /** In place: under load every charge does it. */
  private thin(): void {
    const { moments, levels } = this;
    let at = 0;
    let least = Infinity;
    for (let i = 0; i < MOST; i += 1) {
      const difference = (levels[i + 1] as number) - (levels[i] as number);
      if (difference >= least) continue;
      least = difference;
      at = i;
    }
    for (let i = at; i < MOST; i += 1) {
      moments[i] = moments[i + 1] as number;
      if (i > at) levels[i] = levels[i + 1] as number;
    }
    moments.pop();
    levels.pop();
  }

  /** The lowest it has been from right after `moment` on. @param level where it is now */
  since(moment: number, level: number): number {
    const found = this.moments.findIndex((one) => one > moment);
    return found < 0 ? level : Math.min(level, this.levels[found] as number);
  }

  /** An amount charged at `moment` has been taken out. @param level where it is now */
  takeOut(moment: number, amount: number, level: number): void {
    const { moments, levels } = this;
    let lowest = level;
    for (let i = levels.length - 1; i >= 0; i -= 1) {
      const own = levels[i] as number;
      lowest = Math.min(lowest, (moments[i] as number) > moment ? Math.max(0, own - amount) : own);
      levels[i] = lowest;
    }
  }
}
