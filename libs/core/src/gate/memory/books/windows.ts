import type { Period } from '../../calendar.js';
import { EPSILON } from './book.js';
import { type Lapse, numberOf, type Saved } from './saved.js';

/** Where a window begins and ends. `now` lies in it. */
export type WindowAt = (now: number) => Period;

/** Counts of the window that is, the one before and the one after. A charge near an edge counts on both sides of it. */
export class Windows {
  private start = 0;
  private end = 0;
  private before = 0;
  private inside = 0;
  private after = 0;
  /** The window last looked up beyond the present one: a calendar is slow to ask. */
  private ahead: Period | null = null;

  constructor(
    private readonly windowAt: WindowAt,
    /** Nearer than this to an edge a call may be counted on either side. */
    readonly edge: number,
  ) {}

  roll(now: number): void {
    if (now >= this.start && now < this.end) return;
    const window = this.lookUp(now);
    // Where they overlap the windows are others now, and what counted in the one counts in the other.
    if (window.startUs >= this.end) {
      const next = window.startUs === this.end && this.end !== 0;
      this.before = next ? this.inside : 0;
      this.inside = next ? this.after : 0;
    }
    this.after = 0;
    this.start = window.startUs;
    this.end = window.endUs;
  }

  /** Goes on from what others have counted. @param same they begin and end where these do. */
  follow(others: Windows, same: boolean): this {
    const { start, end, before, inside, after } = others;
    Object.assign(this, { start: same ? start : end, end, before, inside, after });
    return this;
  }

  /** What counts in the present window, and where that begins and ends. */
  get counted(): { readonly start: number; readonly end: number; readonly inside: number } {
    const { start, end, inside } = this;
    return { start, end, inside };
  }

  private lookUp(at: number): Period {
    if (this.ahead === null || at < this.ahead.startUs || at >= this.ahead.endUs) this.ahead = this.windowAt(at);
    return this.ahead;
  }

  /** The earliest moment from `start` on at which `amount` fits under `room`. */
  moment(now: number, start: number, room: number, owed: number, cost: number): number {
    this.roll(now);
    const amount = owed + cost;
    if (start < this.end) {
      const nearStart = start - this.start < this.edge && this.before + amount - room > EPSILON;
      const nearEnd = this.end - start <= this.edge && this.after + amount - room > EPSILON;
      const full = this.inside + amount - room > EPSILON;
      if (!nearStart && !nearEnd && !full) return start;
      if (nearStart && !full) {
        // Past the shadow of the window before, if that is not the shadow of the next.
        const clear = this.start + this.edge;
        if (this.end - clear > this.edge) return clear;
      }
    }
    const next = start < this.end ? this.end : start;
    const window = this.lookUp(next);
    const used = next === this.end || window.startUs === this.end ? this.after : 0;
    const shadow = window.startUs === this.end ? this.inside : 0;
    const length = window.endUs - window.startUs;
    const over = used + amount - room;
    if (over > EPSILON) {
      const whole = Math.max(1, Math.ceil((amount - EPSILON) / room) - 1 + (used > 0 ? 1 : 0));
      return window.startUs + whole * length + this.edge;
    }
    if (shadow + amount - room <= EPSILON) return next;
    const clear = window.startUs + this.edge;
    return clear > next ? clear : next;
  }

  endOf(now: number): number {
    this.roll(now);
    return this.end;
  }

  /** Whether the window of `now` still lasts at `at`. */
  holds(now: number, at: number): boolean {
    this.roll(now);
    return at < this.end;
  }

  /** Whether the provider, too, has counted what came at `at` in the window of `now`: not before it, nor in its first moments. */
  surelyHolds(now: number, at: number): boolean {
    this.roll(now);
    return at >= this.start + this.edge;
  }

  /** Whether what is charged now counts no more at `moment`. */
  apart(now: number, moment: number): boolean {
    this.roll(now);
    return this.end - now > this.edge && moment >= this.end + this.edge;
  }

  free(now: number, room: number): number {
    this.roll(now);
    let used = this.inside;
    if (now - this.start < this.edge && this.before > used) used = this.before;
    if (this.end - now <= this.edge && this.after > used) used = this.after;
    return room - used;
  }

  add(now: number, cost: number): void {
    this.roll(now);
    this.inside += cost;
    if (now - this.start < this.edge) this.before += cost;
    if (this.end - now <= this.edge) this.after += cost;
  }

  takeBack(now: number, cost: number, at: number): void {
    this.roll(now);
    if (at >= this.start) {
      this.inside = Math.max(0, this.inside - cost);
      if (at - this.start < this.edge) this.before = Math.max(0, this.before - cost);
      if (this.end - at <= this.edge) this.after = Math.max(0, this.after - cost);
    } else if (this.lookUp(at).endUs === this.start) {
      this.before = Math.max(0, this.before - cost);
      if (this.start - at <= this.edge) this.inside = Math.max(0, this.inside - cost);
    }
  }

  used(now: number): number {
    this.roll(now);
    return this.inside;
  }

  /** Counts use that was not ours. */
  raise(now: number, amount: number): void {
    this.roll(now);
    this.inside += amount;
  }

  lengthOf(now: number): number {
    this.roll(now);
    return this.end - this.start;
  }

  save(now: number): Saved {
    this.roll(now);
    const { start, end, before, inside, after } = this;
    return { start, end, before, inside, after };
  }

  /** `more` may have been used on either side of an edge nearby. */
  restore(now: number, saved: Saved | null, lapse: Lapse, more: number): void {
    this.roll(now);
    const counts = saved === null ? { before: 0, inside: 0, after: 0 } : this.countsOf(saved, lapse);
    this.before = Math.max(this.before, counts.before + more);
    this.inside = Math.max(this.inside, counts.inside + more);
    this.after = Math.max(this.after, counts.after + (this.end - now <= this.edge ? more : 0));
  }

  /** What was counted in other windows than the present one counts in this one wherever it may have been used in it. */
  private countsOf(saved: Saved, { aheadUs }: Lapse): { before: number; inside: number; after: number } {
    const start = numberOf(saved, 'start');
    const end = numberOf(saved, 'end');
    const before = numberOf(saved, 'before');
    const inside = numberOf(saved, 'inside');
    const after = numberOf(saved, 'after');
    if (start === this.start && end === this.end) return { before, inside, after };
    // The clock was set back to an earlier window: nobody knows in which of them it was used.
    if (start >= this.start) return { before, inside: before + inside + after, after: Math.max(inside, after) };
    // They overlap: the windows are others now. Or the clock was set forward while the gate went by the old time.
    if (end > this.start || end + aheadUs > this.start + this.edge) {
      return { before: inside, inside: inside + after, after: 0 };
    }
    return end === this.start ? { before: inside, inside: after, after: 0 } : { before: 0, inside: 0, after: 0 };
  }

  idleAt(now: number): number {
    this.roll(now);
    if (this.after > 0) return this.end + (this.end - this.start) + this.edge;
    if (this.inside > 0) return this.end + this.edge;
    // Beyond the edge nobody counts the window before.
    return this.before > 0 ? this.start + this.edge : now;
  }
}
