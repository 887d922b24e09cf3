import { AsyncLocalStorage } from 'node:async_hooks';
import { VirtualClock } from '../../../testing/src/index.js';
import { Loop, type StepEnd } from './loop.js';

const callers = new AsyncLocalStorage<string>();

let clock: VirtualClock;
let steps: number[];
let failures: unknown[];
let next: () => Promise<StepEnd>;
let loop: Loop;

beforeEach(() => {
  clock = new VirtualClock();
  steps = [];
  failures = [];
  next = async () => null;
  loop = new Loop(
    clock,
    1_000,
    () => {
      steps.push(clock.monoMs());
      return next();
    },
    (error) => void failures.push(error),
  );
});

describe('a loop', () => {
  it('steps at once, and then when the step before asked for it, or when it is time to look again', async () => {
    next = async () => (steps.length === 1 ? 300 : null);
    loop.start();
    await clock.advance(2_500);
    expect(steps).toEqual([0, 300, 1_300, 2_300]);
    await loop.stop();
  });

  it('has one timer at most, and none once it is stopped', async () => {
    loop.start();
    for (let woken = 0; woken < 10; woken += 1) loop.wake();
    expect(clock.pendingTimers).toBe(1);
    await clock.advance(10);
    loop.wake();
    expect(clock.pendingTimers).toBe(1);
    await loop.stop();
    loop.wake();
    expect(clock.pendingTimers).toBe(0);
    await clock.advance(5_000);
    expect(steps).toEqual([0]);
  });

  it('does one step at a time; woken during one it does another after it', async () => {
    let end: () => void = () => undefined;
    next = () => new Promise((resolve) => (end = () => resolve(null)));
    loop.start();
    await clock.advance(500);
    loop.wake();
    loop.wake();
    await clock.advance(500);
    expect([steps.length, clock.pendingTimers]).toEqual([1, 0]);
    end();
    await clock.advance(0);
    expect(steps).toEqual([0, 1_000]);
    const stopped = loop.stop();
    end();
    await stopped;
    expect(clock.pendingTimers).toBe(0);
  });

  it("law 5: steps in no caller's async context, whoever woke it", async () => {
    const seen: (string | undefined)[] = [];
    next = async () => {
      seen.push(callers.getStore());
      await Promise.resolve();
      seen.push(callers.getStore());
      return null;
    };
    callers.run('starter', () => loop.start());
    await clock.advance(10);
    callers.run('waker', () => loop.wake());
    await clock.advance(10);
    await loop.stop();
    expect(seen).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('that fails comes again later and later, is told once, and is not hurried by those who wake it', async () => {
    next = () => Promise.reject(new Error('away'));
    loop.start();
    for (let ms = 0; ms < 100_000; ms += 50) {
      loop.wake();
      await clock.advance(50);
    }
    expect(steps.slice(0, 9)).toEqual([0, 250, 750, 1_750, 3_750, 7_750, 15_750, 31_750, 61_750]);
    expect(failures).toHaveLength(1);
    next = async () => null;
    await clock.advance(31_000);
    const healed = steps.length;
    await clock.advance(3_000);
    expect(steps.length).toBeGreaterThanOrEqual(healed + 2);
    next = () => Promise.reject(new Error('away again'));
    await clock.advance(1_000);
    expect(failures).toHaveLength(2);
    await loop.stop();
  });
});
