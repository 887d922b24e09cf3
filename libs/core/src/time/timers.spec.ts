import type { Clock } from './clock.js';
import { arm } from './timers.js';

/** A clock whose timers fire up to `earlyMs` too soon, as those of Node do in a turn that was busy before it armed them. */
class HastyClock implements Clock {
  private readonly due: { atMs: number; fn: () => void }[] = [];
  private nowMs = 0;

  constructor(private readonly earlyMs: number) {}

  wallMs = (): number => this.nowMs;
  monoMs = (): number => this.nowMs;

  schedule(delayMs: number, fn: () => void): () => void {
    this.due.push({ atMs: this.nowMs + Math.max(1, delayMs - this.earlyMs), fn });
    return () => undefined;
  }

  run(): void {
    for (let next = this.due.shift(); next !== undefined; next = this.due.shift()) {
      this.nowMs = Math.max(this.nowMs, next.atMs);
      next.fn();
    }
  }
}

test.each([1, 5, 200, 1000])(
  'a wait is never shorter than it was asked for, though timers fire %d ms early',
  (earlyMs) => {
    const clock = new HastyClock(earlyMs);
    const fired: number[] = [];
    arm(clock, 1000, () => fired.push(clock.monoMs()));
    clock.run();
    expect(fired).toHaveLength(1);
    expect(fired[0]).toBeGreaterThanOrEqual(1000);
  },
);
