import { calendarPeriod } from '../../calendar.js';
import { type Book, EPSILON, type Figure } from './book.js';
import { GivenBack } from './given-back.js';
import { fromReserve, keptForOthers, severalReserves, sum } from './reserves.js';
import type { Lapse, Saved } from './saved.js';
import { Windows } from './windows.js';

/** At most `capacity` in a calendar day or month. */
export class CalendarQuota implements Book {
  limit = -1;
  readonly cause = 'quota' as const;
  readonly certain = true;
  capacity = 0;
  shutUntil = 0;
  private windows: Windows | null = null;
  private zone = '';
  private reserves: readonly number[] = [];
  /** What is kept from each lane for the others. */
  private kept: readonly number[] = [];
  /** What each lane took out of its own reserve, in each period; null = at most one lane has one. */
  private taken: readonly Windows[] | null = null;
  private readonly givenBack = new GivenBack();

  configure(
    limit: number,
    capacity: number,
    per: 'day' | 'month',
    timeZone: string,
    guardUs: number,
    reserves: readonly number[],
  ): void {
    this.limit = limit;
    this.capacity = capacity;
    this.reserves = reserves;
    this.kept = keptForOthers(reserves);
    const zone = `${per} ${timeZone}`;
    const made = (): Windows => new Windows((now) => calendarPeriod(now, per, timeZone), guardUs);
    const same = this.windows !== null && zone === this.zone && guardUs === this.windows.edge;
    if (!severalReserves(reserves)) this.taken = null;
    else if (!same || this.taken?.length !== reserves.length) this.taken = reserves.map(made);
    if (same) return;
    this.windows = this.windows === null ? made() : made().follow(this.windows, zone === this.zone);
    this.zone = zone;
  }

  private get periods(): Windows {
    return this.windows as Windows;
  }

  private room(lane: number): number {
    return this.capacity - (this.kept[lane] ?? 0);
  }

  /** What lanes took out of their own reserves is not kept from others once more. */
  private lent(now: number, lane: number): number {
    if (this.taken === null) return 0;
    return sum(this.taken.map((one, other) => (other === lane ? 0 : one.used(now))));
  }

  moment(now: number, start: number, lane: number, owed: number, cost: number): number {
    if (cost === 0) return start;
    const room = this.room(lane);
    if (cost > room + EPSILON) return Infinity;
    if (this.shutUntil > start) return this.moment(now, this.shutUntil, lane, owed, cost);
    const lent = this.lent(now, lane);
    // A new period begins with full reserves.
    if (lent > 0 && this.periods.holds(now, start)) {
      const moment = this.periods.moment(now, start, room + lent, owed, cost);
      if (moment === start) return start;
    }
    return this.periods.moment(now, start, room, owed, cost);
  }

  ownLeft(now: number, lane: number): number {
    const reserve = this.reserves[lane] ?? 0;
    if (reserve === 0) return 0;
    const own = this.taken?.[lane];
    return own === undefined ? Math.min(reserve, this.periods.free(now, this.capacity)) : reserve - own.used(now);
  }

  admits(now: number, lane: number, cost: number): number {
    if (cost === 0) return Infinity;
    if (this.shutUntil > now) return 0;
    const free = this.periods.free(now, this.room(lane) + this.lent(now, lane));
    return free < 0 ? 0 : Math.floor((free + EPSILON) / cost);
  }

  place(now: number, moment: number, cost: number): number {
    return this.periods.apart(now, moment) ? 0 : cost;
  }

  charge(now: number, lane: number, cost: number): void {
    if (cost === 0) return;
    if (this.taken !== null) {
      const taken = sum(this.taken.map((one) => one.used(now)));
      const left = this.capacity - sum(this.reserves) - (this.periods.used(now) - taken);
      const own = this.taken[lane] as Windows;
      const part = fromReserve(cost, left, (this.reserves[lane] ?? 0) - own.used(now));
      if (part > 0) own.add(now, part);
    }
    this.periods.add(now, cost);
  }

  refund(now: number, lane: number, cost: number, grantedAt: number): void {
    this.taken?.[lane]?.takeBack(now, cost, grantedAt);
    this.periods.takeBack(now, cost, grantedAt);
  }

  correct(now: number, lane: number, extra: number, grantedAt: number): void {
    if (extra > 0) this.charge(now, lane, extra);
    else if (extra < 0) {
      this.refund(now, lane, -extra, grantedAt);
      this.givenBack.note(now, -extra, grantedAt);
    }
  }

  empty(): void {
    // A refusal does not say that the period is spent.
  }

  longestResetUs(now: number): number {
    return this.periods.endOf(now) - now + this.periods.edge;
  }

  lower(now: number, { remaining, later, grantedAt, laterFrom }: Figure): boolean {
    if (!this.periods.surelyHolds(now, grantedAt)) return false;
    const more =
      this.periods.free(now, this.capacity) - this.givenBack.since(grantedAt, laterFrom) - (remaining - later);
    if (more <= EPSILON) return false;
    this.periods.raise(now, more);
    return true;
  }

  used(now: number): number {
    return this.periods.used(now);
  }

  save(now: number): Saved {
    return this.periods.save(now);
  }

  /** Who took it out of whose reserve is not known any more: all of it counts as taken from what is left for all. */
  restore(now: number, saved: Saved | null, lapse: Lapse, more: number): void {
    this.periods.restore(now, saved, lapse, more === Infinity ? this.capacity : more);
  }

  refillUs(now: number): number {
    return this.periods.lengthOf(now) + this.periods.edge;
  }

  idleAt(now: number): number {
    return Math.max(this.periods.idleAt(now), this.shutUntil);
  }
}
