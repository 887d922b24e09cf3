/** What may be granted before the store has to know of it. */
import { type Book, EPSILON, FALLBACK_US } from '../books/book.js';
import type { Permits } from '../books/permits.js';
import type { Saved } from '../books/saved.js';

/** A credit is at least what the limit yields in a tenth of the time that it takes to come back, from one second ... */
const SHARE = 10;
const LEAST_US = 1_000_000;
/** ... to one minute. A process that is killed loses so much of a limit. */
const MOST_US = 60_000_000;

/** Who saves. */
export interface Saver {
  /** The credit is used up, or will be soon: to be saved now. */
  press(): void;
}

/**
 * Stands beside the account of a limit and lets pass what the store has been told of: each save says "so much is used, and
 * so much more may be used until you hear again". What a killed process granted since is within that, and its successor
 * starts as if all of it had been used. A process that ends in order says exactly what was used.
 */
export abstract class Ahead implements Book {
  limit = -1;
  readonly cause = 'store' as const;
  readonly certain = false;
  readonly capacity = Infinity;
  shutUntil = 0;
  /** Until then the store keeps what it was told. */
  protected until = 0;
  /** What was refused for lack of it, until something is granted: of two limits of one call the one must not fall back while the other waits. */
  protected wanted = 0;
  /** Somebody was, since the last offer. */
  lacked = false;
  private pressed = false;

  constructor(
    readonly inner: Book,
    protected readonly saver: Saver,
  ) {}

  /** What may be granted until the store has heard of it. */
  protected abstract left(now: number): number;

  /** Before the first save, where nothing is known of earlier use, a start supposes {@link base}: so much may be used already. */
  abstract begin(now: number, fresh: boolean, until: number): void;
  /** To be told to the store now. Until it has acknowledged, only what it knew before may be used. */
  abstract offer(now: number, closing: boolean): number;
  abstract base(now: number): number;
  protected abstract accepted(): void;

  /** The store knows it, and keeps it until `until`. */
  accept(until: number): void {
    this.until = until;
    this.pressed = false;
    this.accepted();
  }

  failed(): void {
    this.pressed = false;
  }

  protected press(): void {
    if (this.pressed) return;
    this.pressed = true;
    this.saver.press();
  }

  moment(now: number, start: number, lane: number, owed: number, cost: number): number {
    if (cost === 0 || start > now || owed + cost <= this.left(now) + EPSILON) return start;
    // What the limit itself holds up does not need the store.
    if (this.inner.moment(now, start, lane, owed, cost) > now) return start;
    this.wanted = Math.max(this.wanted, owed + cost);
    this.lacked = true;
    this.press();
    return now + FALLBACK_US;
  }

  admits(now: number, _lane: number, cost: number): number {
    return cost === 0 ? Infinity : Math.max(0, Math.floor((this.left(now) + EPSILON) / cost));
  }

  place(): number {
    return 0;
  }

  charge(_now: number, _lane: number, _cost: number): void {}

  refund(): void {}

  correct(_now: number, _lane: number, _extra: number): void {}

  empty(): void {}

  lower(): boolean {
    return false;
  }

  longestResetUs(): number {
    return Infinity;
  }

  used(): number {
    return 0;
  }

  idleAt(now: number): number {
    return now;
  }

  save(): Saved {
    return {};
  }

  restore(): void {}

  refillUs(): number {
    return 0;
  }
}

/** Of units that come back with time. */
export class UnitsAhead extends Ahead {
  private credit = 0;
  private offered = 0;
  private spent = 0;

  protected left(now: number): number {
    return now < this.until ? this.credit : 0;
  }

  /** Infinity = a start supposes that all is used: it comes back in no time. */
  base(now: number): number {
    const { capacity } = this.inner;
    const refill = this.inner.refillUs(now);
    const share = Math.min(MOST_US, Math.max(LEAST_US, refill / SHARE)) / refill;
    return share >= 1 ? Infinity : capacity * share;
  }

  begin(now: number, fresh: boolean, until: number): void {
    this.credit = fresh ? this.base(now) : 0;
    this.until = until;
    this.spent = 0;
  }

  override charge(_now: number, _lane: number, cost: number): void {
    if (cost === 0) return;
    this.spent += cost;
    this.credit -= cost;
    this.wanted = 0;
    // Half of it is gone.
    if (this.credit < this.spent) this.press();
  }

  override correct(_now: number, _lane: number, extra: number): void {
    if (extra <= 0) return;
    this.spent += extra;
    this.credit -= extra;
  }

  offer(now: number, closing: boolean): number {
    const more = closing ? 0 : Math.max(this.base(now), 2 * this.spent, this.wanted);
    this.offered = more >= this.inner.capacity ? Infinity : more;
    this.credit = Math.min(this.left(now), this.offered);
    this.spent = 0;
    this.lacked = false;
    return this.offered;
  }

  protected accepted(): void {
    this.credit = this.offered - this.spent;
  }
}

/** Of permits: the most that may be held at once. */
export class PermitsAhead extends Ahead {
  private most = 0;
  private offered = 0;

  constructor(
    override readonly inner: Permits,
    saver: Saver,
  ) {
    super(inner, saver);
  }

  protected left(now: number): number {
    return now < this.until ? this.most - this.inner.used() : 0;
  }

  base(): number {
    return Math.max(1, Math.ceil(this.inner.capacity / 4));
  }

  begin(_now: number, fresh: boolean, until: number): void {
    this.most = fresh ? this.base() : 0;
    this.until = until;
  }

  override charge(): void {
    this.wanted = 0;
    // The sibling has counted this permit already.
    if (2 * this.inner.used() > this.most && this.most < this.inner.capacity) this.press();
  }

  offer(now: number, closing: boolean): number {
    const held = this.inner.used();
    const more = Math.max(this.base(), 2 * held, held + this.wanted);
    this.offered = closing ? held : Math.max(held, Math.min(this.inner.capacity, more));
    this.most = Math.min(now < this.until ? this.most : 0, this.offered);
    this.lacked = false;
    return this.offered;
  }

  protected accepted(): void {
    this.most = this.offered;
  }
}
