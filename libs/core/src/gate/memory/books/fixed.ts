import { EPSILON, type Figure, RESET_LATE_US, RESET_ROUNDING_US } from './book.js';
import { EdgeLearner } from './edge-learner.js';
import type { Lapse, Saved } from './saved.js';
import { Sliding } from './sliding.js';
import { Windows } from './windows.js';

/**
 * At most `capacity` in each window of fixed length. Where its edges are not known it is counted as a sliding window, which
 * is right wherever they are, until the provider's reset times have shown them.
 */
export class Fixed extends Sliding {
  private windows: Windows | null = null;
  private learner: EdgeLearner | null = null;
  private length = 0;
  private guardUs = 0;
  private aligned = false;
  private contradicted: 'no' | 'now' | 'told' = 'no';

  configureFixed(limit: number, capacity: number, lengthUs: number, guardUs: number, aligned: boolean): void {
    this.configure(limit, capacity, lengthUs + guardUs);
    if (lengthUs === this.length && guardUs === this.guardUs && aligned === this.aligned) return;
    const counted = this.aligned ? this.windows : null;
    const { length } = this;
    const span = length + this.guardUs;
    this.length = lengthUs;
    this.guardUs = guardUs;
    this.aligned = aligned;
    this.contradicted = 'no';
    this.learner = aligned ? null : new EdgeLearner(lengthUs, guardUs);
    this.windows = null;
    if (aligned) this.open(0, 0, counted);
    const windows = this.windows as Windows | null;
    if (windows === null) {
      if (counted !== null) this.noteCounted(counted);
    } else if (counted === null) this.countForeign(windows, span);
    else windows.follow(counted, length === lengthUs);
  }

  /** What windows of the clock have counted and no log tells of: it leaves a window after their end at the latest. */
  private noteCounted({ counted: { start, end, inside } }: Windows): void {
    let left = inside;
    for (let i = 0; i < this.log.length; i += 1) if (this.log.timeAt(i) >= start) left -= this.log.costAt(i);
    if (left <= 0) return;
    this.foreign = Math.max(this.foreign, left);
    this.foreignUntil = Math.max(this.foreignUntil, end - 1 + this.span);
  }

  /** The way back: windows of the clock are open now. @param span that it was noted by */
  private countForeign(windows: Windows, span: number): void {
    if (this.foreign <= 0) return;
    const last = this.log.length - 1;
    const at = this.foreignUntil - span;
    windows.add(last < 0 ? at : Math.max(at, this.log.timeAt(last)), this.foreign);
  }

  /**
   * Counts by windows that begin at `phase` give or take `doubt`; a shadow on both sides that leaves nothing between is no gain.
   *
   * @param counted what goes on from others; null = what the log tells is counted
   */
  private open(phase: number, doubt: number, counted: Windows | null = null): void {
    const edge = this.guardUs + doubt;
    const length = this.length;
    if (2 * edge >= length) return;
    this.windows = new Windows((now) => {
      const startUs = Math.floor((now - phase) / length) * length + phase;
      return { startUs, endUs: startUs + length };
    }, edge);
    if (counted !== null) return;
    for (let i = 0; i < this.log.length; i += 1) this.windows.add(this.log.timeAt(i), this.log.costAt(i));
  }

  override moment(now: number, start: number, lane: number, owed: number, cost: number): number {
    if (this.windows === null) return super.moment(now, start, lane, owed, cost);
    if (cost === 0) return start;
    if (cost > this.capacity + EPSILON) return Infinity;
    if (this.shutUntil > start) return this.moment(now, this.shutUntil, lane, owed, cost);
    return this.windows.moment(now, start, this.capacity, owed, cost);
  }

  override admits(now: number, lane: number, cost: number): number {
    if (this.windows === null) return super.admits(now, lane, cost);
    if (cost === 0) return Infinity;
    if (this.shutUntil > now) return 0;
    const free = this.windows.free(now, this.capacity);
    return free < 0 ? 0 : Math.floor((free + EPSILON) / cost);
  }

  override place(now: number, moment: number, cost: number): number {
    if (this.windows === null) return super.place(now, moment, cost);
    return this.windows.apart(now, moment) ? 0 : cost;
  }

  override charge(now: number, lane: number, cost: number): void {
    if (cost === 0) return;
    this.windows?.add(now, cost);
    if (this.windows === null || !this.aligned) {
      this.advance(now);
      super.charge(now, lane, cost);
    }
  }

  override refund(now: number, lane: number, cost: number, grantedAt: number): void {
    this.windows?.takeBack(now, cost, grantedAt);
    super.refund(now, lane, cost, grantedAt);
  }

  override lower(now: number, figure: Figure): boolean {
    const { remaining, later, resetInUs, grantedAt, laterFrom } = figure;
    if (resetInUs !== null && resetInUs <= this.longestResetUs(now) + RESET_ROUNDING_US) {
      if (this.aligned) this.compare(now + resetInUs);
      else this.learn(now, resetInUs);
    }
    if (this.windows === null) return super.lower(now, figure);
    if (!this.windows.surelyHolds(now, grantedAt)) return false;
    const more =
      this.windows.free(now, this.capacity) - this.givenBack.since(grantedAt, laterFrom) - (remaining - later);
    if (more <= EPSILON) return false;
    this.windows.raise(now, more);
    return true;
  }

  /** A reset was told: does a window of the clock begin there? */
  private compare(edge: number): void {
    const before = edge - RESET_LATE_US - this.guardUs;
    const nearest = Math.ceil(before / this.length) * this.length;
    if (nearest > edge + RESET_ROUNDING_US && this.contradicted === 'no') this.contradicted = 'now';
  }

  /** Whether the provider's resets have just shown that the windows are not the clock's: true once. */
  takeContradiction(): boolean {
    if (this.contradicted !== 'now') return false;
    this.contradicted = 'told';
    return true;
  }

  private learn(now: number, resetInUs: number): void {
    const learner = this.learner as EdgeLearner;
    if (!learner.see(now + resetInUs)) return;
    this.windows = null;
    if (learner.known) this.open(learner.phase, learner.doubt);
  }

  override used(now: number): number {
    return this.windows === null ? super.used(now) : this.windows.used(now);
  }

  /** Of windows whose edges were learned the log is saved: as a sliding window it is right wherever they are. */
  override save(now: number): Saved {
    if (this.windows === null) return super.save(now);
    if (this.aligned) return this.windows.save(now);
    const saved = super.save(now);
    const foreign = this.windows.used(now) - this.log.total;
    return foreign > 0 ? { ...saved, foreign, foreignFor: this.windows.endOf(now) - now } : saved;
  }

  override restore(now: number, saved: Saved | null, lapse: Lapse, more: number): void {
    if (this.windows === null) super.restore(now, saved, lapse, more);
    else this.windows.restore(now, saved, lapse, more === Infinity ? this.capacity : more);
  }

  override idleAt(now: number): number {
    const logged = super.idleAt(now);
    const counted = this.windows === null ? now : this.windows.idleAt(now);
    return counted > logged ? counted : logged;
  }
}
