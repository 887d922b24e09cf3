import { AsyncLocalStorage } from 'node:async_hooks';
import { VirtualClock } from './virtual-clock.js';

const START = Date.UTC(2026, 6, 31, 17);

test('time stands still until it is advanced, and then passes on both clocks', async () => {
  const clock = new VirtualClock({ wall: START });
  expect([clock.monoMs(), clock.wallMs()]).toEqual([0, START]);
  await clock.advance(1_500.5);
  expect([clock.monoMs(), clock.wallMs()]).toEqual([1_500.5, START + 1_500]);
});

test('timers fire in order of due time, then of arming, each at its own moment', async () => {
  const clock = new VirtualClock();
  const fired: string[] = [];
  const arm = (name: string, delayMs: number): void =>
    void clock.schedule(delayMs, () => fired.push(`${name}@${clock.monoMs()}`));
  arm('late', 30);
  arm('first', 10);
  arm('second', 10);
  arm('zero', 0);
  arm('beyond', 31);
  await clock.advance(30);
  expect(fired).toEqual(['zero@0', 'first@10', 'second@10', 'late@30']);
  expect(clock.pendingTimers).toBe(1);
});

test('the time until the next timer is that of the first that is armed, and none without one', async () => {
  const clock = new VirtualClock();
  expect(clock.nextTimerInMs).toBeNull();
  const cancel = clock.schedule(10, () => undefined);
  clock.schedule(30, () => undefined);
  await clock.advance(4);
  expect(clock.nextTimerInMs).toBe(6);
  cancel();
  expect(clock.nextTimerInMs).toBe(26);
});

test('promises, ticks and immediates started by a timer are over before the next timer fires', async () => {
  const clock = new VirtualClock();
  const seen: string[] = [];
  clock.schedule(5, () => {
    void (async () => {
      for (let i = 0; i < 50; i += 1) {
        await new Promise<void>((resolve) => setImmediate(() => process.nextTick(resolve)));
        await Promise.resolve();
      }
      seen.push(`chain over at ${clock.monoMs()}`);
      clock.schedule(0, () => seen.push(`armed by the chain at ${clock.monoMs()}`));
    })();
  });
  clock.schedule(6, () => seen.push(`next at ${clock.monoMs()}`));
  await clock.advance(10);
  expect(seen).toEqual(['chain over at 5', 'armed by the chain at 5', 'next at 6']);
});

test('what was pending before the advance runs before time moves', async () => {
  const clock = new VirtualClock();
  let seenAt = -1;
  void (async () => {
    await new Promise<void>((resolve) => setImmediate(resolve));
    clock.schedule(10, () => (seenAt = clock.monoMs()));
  })();
  await clock.advance(10);
  expect(seenAt).toBe(10);
});

test('a cancelled timer never fires and is not counted; cancelling twice or after firing does nothing', async () => {
  const clock = new VirtualClock();
  let fired = 0;
  const cancel = clock.schedule(5, () => (fired += 1));
  const other = clock.schedule(6, () => (fired += 10));
  expect(clock.pendingTimers).toBe(2);
  cancel();
  cancel();
  expect(clock.pendingTimers).toBe(1);
  await clock.advance(100);
  other();
  expect([fired, clock.pendingTimers]).toEqual([10, 0]);
});

test('stepping the wall moves neither timers nor intervals', async () => {
  const clock = new VirtualClock({ wall: new Date(START) });
  let firedAt = -1;
  clock.schedule(1_000, () => (firedAt = clock.monoMs()));
  clock.stepWall(-3_600_000);
  expect(clock.wallMs()).toBe(START - 3_600_000);
  await clock.advance(1_000);
  expect([firedAt, clock.wallMs()]).toEqual([1_000, START - 3_599_000]);
});

test('a timer runs outside the async context of the one who armed it', async () => {
  const clock = new VirtualClock();
  const storage = new AsyncLocalStorage<string>();
  let seen: string | undefined = 'not run';
  storage.run('request', () => clock.schedule(1, () => (seen = storage.getStore())));
  await storage.run('advancing', () => clock.advance(1));
  expect(seen).toBeUndefined();
});

test.each([-1, Number.NaN, 2 ** 31])('a delay of %p ms is refused as Node itself would break it', (delayMs) => {
  expect(() => new VirtualClock().schedule(delayMs, () => undefined)).toThrow(RangeError);
});

test('a timer that throws makes the advance reject with its error, and the clock goes on', async () => {
  const clock = new VirtualClock();
  clock.schedule(1, () => {
    throw new Error('from the timer');
  });
  await expect(clock.advance(5)).rejects.toThrow('from the timer');
  await clock.advance(4);
  expect(clock.monoMs()).toBe(5);
});

test('a second advance during the first is refused', async () => {
  const clock = new VirtualClock();
  const first = clock.advance(1);
  await expect(clock.advance(1)).rejects.toThrow('being advanced already');
  await first;
});

test('advanceUntil goes exactly as far as the promise needs', async () => {
  const clock = new VirtualClock();
  const work = (async () => {
    for (let i = 0; i < 3; i += 1) await new Promise<void>((resolve) => void clock.schedule(7, resolve));
    return clock.monoMs();
  })();
  clock.schedule(1_000, () => undefined);
  await expect(clock.advanceUntil(work)).resolves.toBe(21);
  expect(clock.monoMs()).toBe(21);
  await expect(clock.advanceUntil(new Promise(() => undefined), 500)).rejects.toThrow(
    /Still pending.*no timer settles/,
  );
});

test('two hours with 10,000 events are simulated without a real timer, in far less than real time', async () => {
  const clock = new VirtualClock();
  let fired = 0;
  for (let i = 0; i < 10_000; i += 1) clock.schedule(((i * 7_919) % 10_000) * 720, () => (fired += 1));
  const startedAt = performance.now();
  await clock.advance(7_200_000);
  expect([fired, clock.pendingTimers]).toEqual([10_000, 0]);
  expect(performance.now() - startedAt).toBeLessThan(120_000);
});

test('thousands of cancelled timers leave the order of the living untouched', async () => {
  const clock = new VirtualClock();
  const fired: number[] = [];
  for (let i = 0; i < 5_000; i += 1) {
    const cancel = clock.schedule((i * 37) % 1_000, () => fired.push(clock.monoMs()));
    if (i % 10 !== 0) cancel();
  }
  expect(clock.pendingTimers).toBe(500);
  await clock.advance(1_000);
  expect(fired).toHaveLength(500);
  expect(fired).toEqual([...fired].sort((a, b) => a - b));
});

test('no time passes while what the clock cannot see is held to be at work', async () => {
  const clock = new VirtualClock();
  const fired: number[] = [];
  clock.schedule(10, () => {
    fired.push(clock.monoMs());
    void clock.hold(new Promise<void>((resolve) => setTimeout(() => resolve(fired.push(clock.monoMs()) as never), 20)));
  });
  clock.schedule(11, () => fired.push(clock.monoMs()));
  await clock.advance(60);
  expect(fired).toEqual([10, 10, 11]);
});

test('what is held may fail: it is over then, and its error is for whoever waits for it', async () => {
  const clock = new VirtualClock();
  const failing = clock.hold(Promise.reject(new Error('of the work')));
  await clock.advance(1);
  await expect(failing).rejects.toThrow('of the work');
});
