import { AsyncLocalStorage } from 'node:async_hooks';
import type { Cancel, Clock } from '../../core/src/index.js';
import { untilQuiet, untilSettled } from './quiet.js';
import { TimerHeap } from './timer-heap.js';

/** As with the real clock, a timer runs in the context in which this module was loaded, never in that of the one who armed it. */
const inRootContext = AsyncLocalStorage.snapshot();

export interface VirtualClockOptions {
  /** The wall time at the start: epoch milliseconds, a `Date` or an ISO text. Default: 2026-01-01T00:00:00Z. */
  wall?: number | Date | string;
}

/** The longest delay a Node timer keeps; what the real clock refuses is refused here. */
const MAX_TIMER_MS = 2_147_483_647;

const DEFAULT_WALL_MS = Date.UTC(2026, 0, 1);

/** How far `advanceUntil` goes without being told: a day. */
const DEFAULT_LIMIT_MS = 86_400_000;

/** A clock that stands still until it is advanced. Monotonic time starts at 0. It arms no real timer. */
export class VirtualClock implements Clock {
  private readonly timers = new TimerHeap();
  private wallStartMs: number;
  private nowMs = 0;
  private armed = 0;
  private advancing = false;
  private readonly held = new Set<Promise<unknown>>();

  /** @throws RangeError when `wall` is not a time. */
  constructor(options: VirtualClockOptions = {}) {
    const wall = options.wall ?? DEFAULT_WALL_MS;
    this.wallStartMs = typeof wall === 'number' ? wall : new Date(wall).getTime();
    if (!Number.isFinite(this.wallStartMs)) throw new RangeError(`The wall time ${String(wall)} is not a time.`);
  }

  /** Timers that are armed: 0 at the end of a test that leaves nothing behind. */
  get pendingTimers(): number {
    return this.timers.size;
  }

  /** How long until the next timer is due; null = none is armed. For who must let something real come to rest between two of them. */
  get nextTimerInMs(): number | null {
    const next = this.timers.peek();
    return next === undefined ? null : Math.max(0, next.dueMs - this.nowMs);
  }

  wallMs(): number {
    return Math.floor(this.wallStartMs + this.nowMs);
  }

  monoMs(): number {
    return this.nowMs;
  }

  schedule(delayMs: number, fn: () => void): Cancel {
    if (!(delayMs >= 0 && delayMs <= MAX_TIMER_MS)) {
      throw new RangeError(`A timer needs a delay from 0 to ${MAX_TIMER_MS} ms, not ${delayMs}.`);
    }
    this.armed += 1;
    const entry = { dueMs: this.nowMs + delayMs, seq: this.armed, fn, live: true };
    this.timers.push(entry);
    return () => this.timers.cancel(entry);
  }

  /**
   * Lets `ms` milliseconds pass. Runs what falls due in order of due time, then of arming; before, between and after
   * firings everything that needs no time runs to its end: promises, `nextTick`, immediates. Rejects with what a timer threw.
   *
   * @throws RangeError when `ms` is not a finite number of at least 0; Error when the clock is being advanced already.
   */
  async advance(ms: number): Promise<void> {
    if (!(ms >= 0 && Number.isFinite(ms))) throw new RangeError(`A clock cannot be advanced by ${ms} ms.`);
    const endMs = this.nowMs + ms;
    await this.whileAdvancing(async () => {
      while (await this.fireNext(endMs)) continue;
      this.nowMs = endMs;
    });
  }

  /**
   * Goes from timer to timer until `promise` is settled, and gives its result.
   *
   * @throws Error when it is still pending with no timer left within `limitMs` (default: a day).
   */
  async advanceUntil<T>(promise: PromiseLike<T>, limitMs = DEFAULT_LIMIT_MS): Promise<T> {
    const endMs = this.nowMs + limitMs;
    let settled = false;
    const onSettled = (): void => {
      settled = true;
    };
    promise.then(onSettled, onSettled);
    await this.whileAdvancing(async () => {
      await this.untilRest();
      while (!settled && (await this.fireNext(endMs))) continue;
    });
    if (!settled)
      throw new Error(
        `Still pending at ${this.nowMs} ms: ${this.pendingTimers} timers are armed, none due before ${endMs} ms. ` +
          'Is it a promise that no timer settles: a real socket, or a call never made?',
      );
    return promise;
  }

  /**
   * No time passes until `work` is settled: for what goes on outside of what the clock can see, such as a thread or a file.
   * Gives `work` back.
   */
  hold<T>(work: Promise<T>): Promise<T> {
    const over = (): void => void this.held.delete(work);
    this.held.add(work);
    work.then(over, over);
    return work;
  }

  /** Moves the wall alone, as an operator or NTP does; intervals and timers do not notice. */
  stepWall(ms: number): void {
    this.wallStartMs += ms;
  }

  /** True when a timer fired. Quiet is reached before the choice of the timer and after its firing. */
  private async fireNext(endMs: number): Promise<boolean> {
    await this.untilRest();
    const next = this.timers.peek();
    if (next === undefined || next.dueMs > endMs) return false;
    this.timers.pop();
    this.nowMs = next.dueMs;
    inRootContext(next.fn);
    await this.untilRest();
    return true;
  }

  /** Quiet, with nothing held. */
  private async untilRest(): Promise<void> {
    for (;;) {
      await untilQuiet();
      if (this.held.size === 0) return;
      await untilSettled(this.held);
    }
  }

  private async whileAdvancing(run: () => Promise<void>): Promise<void> {
    if (this.advancing) throw new Error('The clock is being advanced already: await one advance before the next.');
    this.advancing = true;
    try {
      await run();
    } finally {
      this.advancing = false;
    }
  }
}
