import { guardBucket, guardDebt } from '../../guard.js';
import type { WaitCause } from '../../port.js';
import { type Book, EPSILON, type Figure } from './book.js';
import { Charges } from './charges.js';
import { GivenBack } from './given-back.js';
import { Lows } from './lows.js';
import { type Lapse, numberOf, type Saved } from './saved.js';
import { fromReserve, keptForOthers, severalReserves, sum, takenByOthers } from './reserves.js';

/** A token bucket, kept as what is used (`level`), which drains at `rate`. */
export class Bucket implements Book {
  limit = -1;
  readonly certain = true;
  readonly renews = true;
  capacity = 0;
  shutUntil = 0;
  private level = 0;
  private at = 0;
  private rate = 0;
  private serial = false;
  private burst = 0;
  private fullRate = 0;
  private guardUs = 0;
  private reserves: readonly number[] = [];
  private reserved: readonly number[] = [];
  /** What of the level came out of each lane's own reserve; it refills first. Null = at most one lane has one. */
  private taken: number[] | null = null;
  /** Dearest call seen, what other lanes keep from it included; and whether all cost the same. */
  private dearest = 0;
  private equal = true;
  /** Until then a call that needs more than B - rJ is expected again. */
  private dearUntil = 0;
  private charged = false;
  private readonly charges = new Charges();
  private readonly lows = new Lows();
  private readonly givenBack = new GivenBack();
  /** Since when nothing of it is used; a charge ends that. */
  private emptySince = 0;

  constructor(readonly cause: WaitCause) {}

  /** @param rate per microsecond */
  configure(limit: number, burst: number, rate: number, guardUs: number, reserves: readonly number[]): void {
    this.limit = limit;
    this.burst = burst;
    this.fullRate = rate;
    this.guardUs = guardUs;
    this.reserves = reserves;
    this.reserved = keptForOthers(reserves);
    if (!severalReserves(reserves)) this.taken = null;
    else this.taken = reserves.map((most, lane) => Math.min(most, this.taken?.[lane] ?? 0));
    this.settleNumbers();
  }

  private settleNumbers(): void {
    const numbers = guardBucket(this.burst, this.fullRate, this.guardUs, this.dearest, this.equal);
    const changed = numbers.capacity !== this.capacity || numbers.rate !== this.rate;
    this.capacity = numbers.capacity;
    this.rate = numbers.rate;
    this.serial = numbers.serial;
    if (changed) this.charges.forget();
    if (!changed || !this.charged || this.rested()) return;
    this.lows.note(this.at, this.level);
    this.level += guardDebt(this.burst, this.fullRate, this.guardUs, this.capacity);
  }

  /** What was charged has drained, and the latest of it has arrived: no interval with any of it lies across this moment. */
  private rested(): boolean {
    return this.level === 0 && this.at >= this.emptySince + this.guardUs;
  }

  private learn(now: number, need: number, equal: boolean): void {
    this.advance(now);
    this.equal = this.equal && equal && (this.dearest === 0 || need === this.dearest);
    if (need > this.dearest) this.dearest = need;
    this.settleNumbers();
  }

  private advance(now: number): void {
    if (now <= this.at) return;
    const drained = (now - this.at) * this.rate;
    const level = this.level - drained;
    if (this.taken !== null) this.taken = this.taken.map((one) => (one > drained ? one - drained : 0));
    if (level <= 0 && this.level > 0) this.emptySince = this.at + Math.ceil(this.level / this.rate);
    this.level = level > 0 ? level : 0;
    this.at = now;
    if (this.dearUntil !== 0 && now > this.dearUntil) this.relax();
  }

  /** No dear call has come for as long as its trace lasts: the ordinary numbers hold again. */
  private relax(): void {
    this.charges.forget();
    this.dearUntil = 0;
    this.dearest = 0;
    this.equal = true;
    const numbers = guardBucket(this.burst, this.fullRate, this.guardUs, 0, true);
    this.capacity = numbers.capacity;
    this.rate = numbers.rate;
    this.serial = numbers.serial;
  }

  private see(now: number, lane: number, cost: number): void {
    const reserved = this.reserved[lane] ?? 0;
    const need = cost + reserved;
    if (need > this.dearest || (this.equal && need !== this.dearest)) this.learn(now, need, reserved === 0);
    if (need > this.burst - this.fullRate * this.guardUs) {
      this.dearUntil = now + this.burst / this.fullRate + this.guardUs;
    }
  }

  moment(now: number, start: number, lane: number, owed: number, cost: number): number {
    if (cost === 0) return start;
    if (cost + (this.reserved[lane] ?? 0) > this.burst + EPSILON) return Infinity;
    if (this.shutUntil > start) return this.moment(now, this.shutUntil, lane, owed, cost);
    this.see(now, lane, cost);
    this.advance(now);
    let level = this.level;
    if (start > now) {
      level -= (start - now) * this.rate;
      if (level < 0) level = 0;
    }
    const need = this.serial ? level + owed : level + owed + cost - (this.capacity - (this.reserved[lane] ?? 0));
    if (need <= EPSILON || (start === now && need - this.lent(lane) <= EPSILON)) return start;
    return start + Math.ceil((need - EPSILON) / this.rate);
  }

  /** What others took out of their own reserves is not kept from this lane once more. */
  private lent(lane: number): number {
    return this.taken === null || this.serial || lane < 0 ? 0 : takenByOthers(this.taken, lane);
  }

  ownLeft(now: number, lane: number): number {
    const reserve = this.reserves[lane] ?? 0;
    if (reserve === 0 || this.serial) return 0;
    this.advance(now);
    return this.taken === null ? Math.min(reserve, this.capacity - this.level) : reserve - (this.taken[lane] as number);
  }

  admits(now: number, lane: number, cost: number): number {
    if (cost === 0) return Infinity;
    if (this.shutUntil > now) return 0;
    this.advance(now);
    if (this.serial) return this.level <= EPSILON ? 1 : 0;
    const free = this.capacity - (this.reserved[lane] ?? 0) + this.lent(lane) - this.level;
    return free < 0 ? 0 : Math.floor((free + EPSILON) / cost);
  }

  place(now: number, moment: number, cost: number): number {
    const left = cost - (moment - now) * this.rate;
    return left > 0 ? left : 0;
  }

  charge(now: number, lane: number, cost: number): void {
    if (cost === 0) return;
    this.advance(now);
    if (this.taken !== null) this.take(this.taken, lane, cost);
    this.charged = true;
    this.raise(now, this.level + (this.serial ? cost + this.fullRate * this.guardUs : cost));
  }

  private raise(now: number, level: number): void {
    this.charges.add(now, this.level, level - this.level);
    this.lows.note(now, this.level);
    this.level = level;
  }

  private take(taken: number[], lane: number, cost: number): void {
    const left = this.capacity - sum(this.reserves) - (this.level - sum(taken));
    const before = taken[lane] ?? 0;
    taken[lane] = before + fromReserve(cost, left, (this.reserves[lane] ?? 0) - before);
  }

  /** It was never sent: the level is as if it had not been charged. */
  refund(now: number, lane: number, cost: number, grantedAt: number): void {
    this.advance(now);
    const { charges, lows } = this;
    // Both may tell too little, and neither too much: the one of what was charged long ago, the other of many small charges.
    const replayed = charges.takeOut(now, grantedAt, cost, this.level, this.rate);
    const amount = Math.max(replayed, Math.min(cost, lows.since(grantedAt, this.level)));
    this.credit(now, lane, amount);
    lows.takeOut(grantedAt, amount, this.level);
  }

  /** What it did not cost is as if it had not been charged; what it cost more is charged now. */
  correct(now: number, lane: number, extra: number, grantedAt: number): void {
    if (extra < 0) {
      this.refund(now, lane, -extra, grantedAt);
      this.givenBack.note(now, -extra, grantedAt);
    } else {
      this.advance(now);
      this.raise(now, this.level + extra);
    }
  }

  private credit(now: number, lane: number, amount: number): void {
    if (amount <= 0) return;
    if (this.taken !== null) this.taken[lane] = Math.max(0, (this.taken[lane] ?? 0) - amount);
    if (this.level > 0 && this.level <= amount) this.emptySince = now;
    this.level = this.level > amount ? this.level - amount : 0;
  }

  empty(now: number): void {
    this.advance(now);
    if (this.level < this.capacity) this.raise(now, this.capacity);
  }

  longestResetUs(): number {
    return this.burst / this.fullRate;
  }

  /** Told as the answer leaves, the figure may hold calls that are under way: more than the burst is never used. */
  lower(now: number, { remaining, later, grantedAt, laterFrom }: Figure): boolean {
    this.advance(now);
    const told = this.burst - remaining + later - this.givenBack.since(grantedAt, laterFrom);
    const level = told < this.burst ? told : this.burst;
    if (level <= this.level + EPSILON) return false;
    this.raise(now, level);
    return true;
  }

  used(now: number): number {
    this.advance(now);
    return this.level;
  }

  save(now: number): Saved {
    this.advance(now);
    const { level, dearest, equal, dearUntil } = this;
    return { level, dearest, equal: equal ? 1 : 0, dearFor: Math.max(0, dearUntil - now) };
  }

  restore(now: number, saved: Saved | null, { agoUs }: Lapse, more: number): void {
    this.advance(now);
    let level = 0;
    if (saved !== null) {
      const dearest = numberOf(saved, 'dearest');
      this.equal &&= numberOf(saved, 'equal') === 1 && (this.dearest === 0 || dearest === this.dearest);
      this.dearest = Math.max(this.dearest, dearest);
      this.dearUntil = Math.max(this.dearUntil, now - agoUs + numberOf(saved, 'dearFor'));
      this.settleNumbers();
      level = Math.max(0, numberOf(saved, 'level') - agoUs * this.rate);
    }
    level = more === Infinity ? Math.max(level, this.capacity) : level + more;
    this.lows.note(now, this.level);
    if (level > this.level) this.level = level;
    this.charged = true;
    this.charges.forget();
    this.emptySince = now;
  }

  refillUs(): number {
    return this.burst / this.fullRate + this.guardUs;
  }

  idleAt(): number {
    const drained = this.level > 0 ? this.at + Math.ceil(this.level / this.rate) : this.emptySince;
    return Math.max(drained, this.dearUntil, this.shutUntil) + this.guardUs;
  }
}
