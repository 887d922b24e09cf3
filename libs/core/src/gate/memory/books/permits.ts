import type { WaitCause } from '../../port.js';
import { type Book, EPSILON, FALLBACK_US } from './book.js';
import type { Saved } from './saved.js';
import { fromReserve, keptForOthers, severalReserves, sum, takenByOthers } from './reserves.js';

/** Permits of a concurrency limit. Each is held by a lease; the count follows the leases. */
export class Permits implements Book {
  limit = -1;
  readonly certain = false;
  readonly renews = true;
  capacity = 0;
  /** How long the provider may go on after its client has given up. */
  worksAfterUs = 0;
  shutUntil = 0;
  private held = 0;
  private reserves: readonly number[] = [];
  private kept: readonly number[] = [];
  /** Permits out of each lane's own reserve; null = at most one lane has one. */
  private taken: number[] | null = null;

  constructor(readonly cause: WaitCause) {}

  configure(limit: number, capacity: number, worksAfterUs: number, reserves: readonly number[]): void {
    this.limit = limit;
    this.capacity = capacity;
    this.worksAfterUs = worksAfterUs;
    this.reserves = reserves;
    this.kept = keptForOthers(reserves);
    if (!severalReserves(reserves)) this.taken = null;
    else this.taken = reserves.map((most, lane) => Math.min(most, this.taken?.[lane] ?? 0));
  }

  private room(lane: number): number {
    const room = this.capacity - (this.kept[lane] ?? 0);
    return this.taken === null || lane < 0 ? room : room + takenByOthers(this.taken, lane);
  }

  moment(now: number, start: number, lane: number, owed: number): number {
    if (this.room(lane) - this.held - owed >= 1) return start;
    if (this.capacity - (this.kept[lane] ?? 0) < 1) return Infinity;
    const again = now + FALLBACK_US;
    return again > start ? again : start;
  }

  /** How many permits have to come back before `owed` and then one more fit. */
  missing(lane: number, owed: number): number {
    return Math.ceil(owed + 1 + this.held - this.room(lane) - EPSILON);
  }

  ownLeft(_now: number, lane: number): number {
    const reserve = this.reserves[lane] ?? 0;
    if (reserve === 0) return 0;
    return this.taken === null ? Math.min(reserve, this.capacity - this.held) : reserve - (this.taken[lane] as number);
  }

  admits(_now: number, lane: number): number {
    const free = Math.floor(this.room(lane) - this.held);
    return free > 0 ? free : 0;
  }

  /** A permit that comes back at an unknown moment cannot be lent until then. */
  place(): number {
    return 0;
  }

  charge(_now: number, lane: number): void {
    const { taken } = this;
    if (taken !== null) {
      const left = this.capacity - sum(this.reserves) - (this.held - sum(taken));
      const before = taken[lane] ?? 0;
      taken[lane] = before + fromReserve(1, left, (this.reserves[lane] ?? 0) - before);
    }
    this.held += 1;
  }

  release(lane: number): void {
    this.held -= 1;
    if (this.taken !== null) this.taken[lane] = Math.max(0, (this.taken[lane] ?? 0) - 1);
  }

  /** The permit itself is given back with its lease. */
  refund(): void {}

  correct(): void {}

  empty(): void {}

  longestResetUs(): number {
    return Infinity;
  }

  lower(): boolean {
    return false;
  }

  used(): number {
    return this.held;
  }

  /** Permits are held by leases: those are saved and made anew. */
  save(): Saved {
    return {};
  }

  restore(): void {}

  refillUs(): number {
    return Infinity;
  }

  idleAt(now: number): number {
    return this.held === 0 ? now : Infinity;
  }
}
