import { type Book, EPSILON, type Figure } from './book.js';
import { GivenBack } from './given-back.js';
import { ChargeLog } from './log.js';
import { atLeastBoth, type Entry, type Lapse, numberOf, numbersOf, type Saved } from './saved.js';

/** A saved log has so many entries: a start forgets up to a hundredth of the window later than need be. */
const SAVED_GRAINS = 100;

/** At most `capacity` in any window: a log of the last window and the guard. */
export class Sliding implements Book {
  limit = -1;
  readonly cause = 'window' as const;
  readonly certain = true;
  capacity = 0;
  shutUntil = 0;
  protected span = 0;
  protected readonly log = new ChargeLog();
  protected readonly givenBack = new GivenBack();
  /** Use by others that the provider told of. */
  protected foreign = 0;
  protected foreignUntil = 0;
  /** The last of it that is over. */
  private lapsedForeign = 0;
  private lapsedForeignUntil = 0;

  /** @param span the window and the guard J */
  configure(limit: number, capacity: number, span: number): void {
    this.limit = limit;
    this.capacity = capacity;
    this.span = span;
  }

  protected advance(now: number): void {
    this.log.forget(now - this.span, this.span);
    if (this.foreign === 0 || now < this.foreignUntil) return;
    this.lapsedForeign = this.foreign;
    this.lapsedForeignUntil = this.foreignUntil;
    this.foreign = 0;
  }

  moment(now: number, start: number, lane: number, owed: number, cost: number): number {
    if (cost === 0) return start;
    if (cost > this.capacity + EPSILON) return Infinity;
    if (this.shutUntil > start) return this.moment(now, this.shutUntil, lane, owed, cost);
    this.advance(now);
    let need = this.log.total + this.foreign + owed + cost - this.capacity;
    if (need <= EPSILON) return start;
    let at = now;
    let foreign = this.foreign;
    for (let i = 0; i < this.log.length && need > EPSILON; i += 1) {
      const leaves = this.log.timeAt(i) + this.span;
      if (foreign > 0 && this.foreignUntil <= leaves) {
        need -= foreign;
        at = this.foreignUntil;
        foreign = 0;
        if (need <= EPSILON) break;
      }
      need -= this.log.costAt(i);
      at = leaves;
    }
    if (need > EPSILON && foreign > 0) {
      need -= foreign;
      if (this.foreignUntil > at) at = this.foreignUntil;
    }
    // More is owed than a window holds: those in front fill whole windows first.
    if (need > EPSILON) at += this.span * Math.ceil(need / this.capacity);
    return at > start ? at : start;
  }

  admits(now: number, _lane: number, cost: number): number {
    if (cost === 0) return Infinity;
    if (this.shutUntil > now) return 0;
    this.advance(now);
    const free = this.capacity - this.log.total - this.foreign;
    return free < 0 ? 0 : Math.floor((free + EPSILON) / cost);
  }

  place(now: number, moment: number, cost: number): number {
    if (moment - now >= this.span) return 0;
    this.advance(now);
    let left = cost - (this.foreignUntil <= moment ? this.foreign : 0);
    for (let i = 0; i < this.log.length && left > 0 && this.log.timeAt(i) + this.span <= moment; i += 1) {
      left -= this.log.costAt(i);
    }
    return left > 0 ? left : 0;
  }

  charge(now: number, _lane: number, cost: number): void {
    if (cost > 0) this.log.add(now, cost, this.span);
  }

  refund(_now: number, _lane: number, cost: number, grantedAt: number): void {
    this.log.takeBack(grantedAt, cost);
  }

  correct(now: number, lane: number, extra: number, grantedAt: number): void {
    if (extra > 0) this.charge(now, lane, extra);
    else if (extra < 0) {
      this.refund(now, lane, -extra, grantedAt);
      this.givenBack.note(now, -extra, grantedAt);
    }
  }

  empty(): void {
    // What a refusal says of a window is when to come again: the pause holds that.
  }

  longestResetUs(_now: number): number {
    return this.span;
  }

  lower(now: number, { remaining, later, resetInUs, grantedAt, laterFrom }: Figure): boolean {
    this.advance(now);
    const gone = this.lapsedSince(now, grantedAt) + this.givenBack.since(grantedAt, laterFrom);
    const more = this.capacity - this.log.total - this.foreign - gone - (remaining - later);
    if (more <= EPSILON) return false;
    this.foreign += more;
    const until = now + (resetInUs === null ? this.span : Math.min(resetInUs, this.span));
    if (until > this.foreignUntil) this.foreignUntil = until;
    return true;
  }

  /** What has left the window since `moment`: a provider that was asked then has counted it still. */
  private lapsedSince(now: number, moment: number): number {
    const foreign = this.lapsedForeignUntil > moment ? this.lapsedForeign : 0;
    return foreign + this.log.lapsedAfter(Math.max(moment, now - this.span) - this.span);
  }

  used(now: number): number {
    this.advance(now);
    return this.log.total + this.foreign;
  }

  save(now: number): Saved {
    this.advance(now);
    const log = this.log.entries(this.span / SAVED_GRAINS);
    return {
      ages: log.map(({ time }) => now - time),
      costs: log.map(({ cost }) => cost),
      foreign: this.foreign,
      foreignFor: Math.max(0, this.foreignUntil - now),
    };
  }

  restore(now: number, saved: Saved | null, { agoUs }: Lapse, more: number): void {
    const entries: Entry[] = [];
    if (saved !== null) {
      const costs = numbersOf(saved, 'costs');
      numbersOf(saved, 'ages').forEach((age, i) => entries.push({ time: now - agoUs - age, cost: costs[i] ?? 0 }));
      this.foreign = Math.max(this.foreign, numberOf(saved, 'foreign'));
      this.foreignUntil = Math.max(this.foreignUntil, now - agoUs + numberOf(saved, 'foreignFor'));
    }
    if (more > 0) entries.push({ time: now, cost: more === Infinity ? this.capacity : more });
    this.log.replace(atLeastBoth(this.log.entries(0), entries), this.span);
    this.advance(now);
  }

  refillUs(_now: number): number {
    return this.span;
  }

  idleAt(now: number): number {
    this.advance(now);
    const last = this.log.length === 0 ? now : this.log.timeAt(this.log.length - 1) + this.span;
    return Math.max(last, this.foreign > 0 ? this.foreignUntil : 0, this.shutUntil);
  }
}
