import { VirtualClock } from '../../../../../testing/src/index.js';
import { concurrency, fixedWindow, quota, slidingWindow, tokenBucket } from '../../../contract/builders.js';
import { settlement, request } from '../../client/gates.fixture.js';
import type { UsedBook } from '../../used-book.js';
import { type Arrival, File, Life, type Options } from './lives.fixture.js';

const HOUR_MS = 3_600_000;

/** Processes that share a file and a clock, one after the other. */
class World {
  readonly clock: VirtualClock;
  readonly file: File;
  readonly log: Arrival[] = [];

  constructor(
    private readonly options: Options,
    wall: string | number = '2026-01-05T12:00:00Z',
    latencyMs = 0,
  ) {
    this.clock = new VirtualClock({ wall });
    this.file = new File(this.clock, () => latencyMs);
  }

  begin(options: Options = this.options, processes = 1): Life {
    return new Life(this.clock, (life) => this.file.bookFor(life), { guard: 0, ...options }, this.log, processes);
  }

  /** As many calls as are sent at once. */
  async sentBy(life: Life, calls: number, overrides: Parameters<Life['call']>[0] = {}): Promise<number> {
    const before = this.log.length;
    const ends = Array.from({ length: calls }, () => life.call({ maxWaitMs: 100, ...overrides }));
    await this.clock.advance(200);
    await Promise.all(ends);
    return this.log.length - before;
  }
}

const dayQuota: Options = { limits: [quota({ limit: 100, per: 'day', timeZone: 'UTC' })] };

test('law 2: a quota of a day is a quota of a day over five processes that end in order, to the last call', async () => {
  const world = new World(dayQuota);
  const sent: number[] = [];
  for (let i = 0; i < 5; i += 1) {
    const life = world.begin();
    sent.push(await world.sentBy(life, 30));
    await life.close();
    await world.clock.advance(60_000);
  }
  expect(sent).toEqual([30, 30, 30, 10, 0]);
  expect(world.clock.pendingTimers).toBe(0);
  await world.clock.advance(12 * HOUR_MS);
  expect(await world.sentBy(world.begin(), 130)).toBe(100);
});

test('law 2: over five processes that are killed a quota of a day is never exceeded, and loses little', async () => {
  const world = new World({ limits: [quota({ limit: 100_000, per: 'day', timeZone: 'UTC' })] });
  for (let i = 0; i < 5; i += 1) {
    const life = world.begin();
    await world.sentBy(life, 300);
    await world.clock.advance(2_000);
    await world.sentBy(life, 1);
    life.kill();
  }
  const last = world.begin();
  await world.clock.advance(0);
  const used = (await last.admission.inspect()).gate.limits[0]?.used ?? 0;
  expect(world.log).toHaveLength(5 * 301);
  // A minute's worth is 69.4; a credit is that, or twice of what was used in the last second.
  expect(used).toBeGreaterThanOrEqual(5 * 301);
  expect(used).toBeLessThan(5 * 301 + 5 * 640);
});

test.each([
  ['token bucket', tokenBucket({ burst: 10, limit: 10, per: '1h' })],
  ['sliding window', slidingWindow({ limit: 10, per: '1h' })],
  ['fixed window of the clock', fixedWindow({ limit: 10, per: '1h', align: 'clock' })],
  ['fixed window', fixedWindow({ limit: 10, per: '1h', align: 'unknown' })],
  ['quota', quota({ limit: 10, per: 'month', timeZone: 'UTC' })],
])('law 2: what is used of a %s is used after an end in order: no more, no less', async (_title, limit) => {
  const world = new World({ limits: [limit] });
  const first = world.begin();
  expect(await world.sentBy(first, 7)).toBe(7);
  await first.close();
  const second = world.begin();
  expect(await world.sentBy(second, 5)).toBe(3);
  second.kill();
});

test('law 2: a clock that is set back while nothing runs gives nothing back', async () => {
  const world = new World({
    limits: [tokenBucket({ burst: 10, limit: 10, per: '1h' }), quota({ limit: 30, per: 'day', timeZone: 'UTC' })],
  });
  const first = world.begin();
  expect(await world.sentBy(first, 10)).toBe(10);
  await first.close();
  world.clock.stepWall(-13 * HOUR_MS);
  const second = world.begin();
  expect(await world.sentBy(second, 5)).toBe(0);
  await world.clock.advance(HOUR_MS);
  // It is yesterday again: what was used then is still used.
  expect(await world.sentBy(second, 10)).toBe(10);
  await world.clock.advance(HOUR_MS);
  expect(await world.sentBy(second, 10)).toBe(10);
  await world.clock.advance(HOUR_MS);
  expect(await world.sentBy(second, 10)).toBe(0);
});

test('a pause goes on over a restart, with its step and its probe', async () => {
  const world = new World({
    limits: [tokenBucket({ burst: 10, limit: 10, per: '1s' })],
    pause: { initial: '1m', factor: 2, max: '30m' },
  });
  const refused = { refusal: { limitName: null, waitMs: null } };
  const first = world.begin();
  const permit = await first.admission.admit(request());
  permit.settle(settlement(refused));
  await world.clock.advance(10_000);
  first.kill();
  const second = world.begin();
  expect(await second.call({ maxWaitMs: 40_000 })).toBe('PAUSED');
  const probe = second.admission.admit(request({ maxWaitMs: 55_000 }));
  await world.clock.advance(52_000);
  const held = await probe;
  expect(held.probe).toBe(true);
  held.settle(settlement(refused));
  await world.clock.advance(0);
  const [pause] = (await second.admission.inspect()).gate.pauses;
  expect(pause).toMatchObject({ step: 2 });
  expect((pause?.untilMs ?? 0) - world.clock.wallMs()).toBeGreaterThan(115_000);
  second.kill();
});

test('an open breaker is open for the next process too', async () => {
  const world = new World({
    limits: [tokenBucket({ burst: 10, limit: 10, per: '1s' })],
    breaker: { consecutiveFailures: 1, probeEvery: '1m' },
  });
  const first = world.begin();
  (await first.admission.admit(request())).settle(settlement({ health: 'failure' }));
  await world.clock.advance(1_000);
  first.kill();
  const second = world.begin();
  expect(await second.call()).toBe('CIRCUIT_OPEN');
  second.kill();
});

test('law 2: permits of a killed process stay taken until its attempts must have ended', async () => {
  const world = new World({
    limits: [concurrency({ limit: 2, worksAfterTimeout: '3s' })],
    timeouts: { attempt: '2s' },
  });
  const first = world.begin();
  expect(await world.sentBy(first, 2, { runMs: 5_000 })).toBe(2);
  first.kill();
  const second = world.begin();
  expect(await world.sentBy(second, 2)).toBe(0);
  await world.clock.advance(5_000);
  expect(await world.sentBy(second, 2)).toBe(2);
  second.kill();
});

test('law 2: what the provider said is left is remembered', async () => {
  const world = new World({ limits: [quota({ name: 'daily', limit: 100, per: 'day', timeZone: 'UTC' })] });
  const first = world.begin();
  const seen = [{ limitName: 'daily', remaining: 4, resetInMs: null }];
  (await first.admission.admit(request())).settle(settlement({ seen }));
  await first.close();
  expect(await world.sentBy(world.begin(), 10)).toBe(4);
});

test('law 2: what cannot be read counts as full, is told once, and is not overwritten before the next save', async () => {
  const world = new World(dayQuota);
  const first = world.begin();
  await world.sentBy(first, 5);
  await first.close();
  for (const [key, row] of world.file.rows) world.file.rows.set(key, { ...row, value: '{"wallMs":1' });
  const before = [...world.file.rows.values()].map(({ value }) => value);
  const second = world.begin();
  expect(await world.sentBy(second, 3)).toBe(0);
  expect(before).toEqual(['{"wallMs":1', '{"wallMs":1']);
  expect(second.events.events.filter(({ type }) => type === 'hook-failed')).toHaveLength(1);
  second.kill();
});

test('law 15: nothing is granted until the amounts are read; where the store does not answer calls are refused, and once it answers they go', async () => {
  const world = new World(dayQuota);
  let away = true;
  const file = (life: { dead: boolean }): UsedBook => {
    const book = world.file.bookFor(life);
    return { ...book, load: () => (away ? Promise.reject(new Error('busy')) : book.load()) };
  };
  const life = new Life(world.clock, file as never, dayQuota, world.log);
  expect(await life.call()).toBe('GATE_UNAVAILABLE');
  away = false;
  expect(await life.call()).toBe('sent');
  await life.close();
  const silent = new Life(
    world.clock,
    { load: () => new Promise(() => undefined), save: async () => undefined },
    dayQuota,
    [],
  );
  const end = silent.call();
  await world.clock.advance(5_001);
  expect(await end).toBe('GATE_UNAVAILABLE');
  await silent.close();
  expect(world.clock.pendingTimers).toBe(0);
});

test('law 2: while the store does not take what is used no more than the credit is granted, and once it does all goes on', async () => {
  const world = new World({ limits: [quota({ limit: 1_440, per: 'day', timeZone: 'UTC' })] });
  let away = false;
  const file = (life: { readonly dead: boolean }): UsedBook => {
    const book = world.file.bookFor(life);
    return { ...book, save: (...args) => (away ? Promise.reject(new Error('disk full')) : book.save(...args)) };
  };
  const life = new Life(
    world.clock,
    file,
    { limits: [quota({ limit: 14_400, per: 'day', timeZone: 'UTC' })] },
    world.log,
  );
  await life.call();
  away = true;
  // A credit is a minute's worth: 10 calls, of which one is gone.
  expect(await world.sentBy(life, 50)).toBeLessThanOrEqual(10);
  away = false;
  await world.clock.advance(2_000);
  expect(await world.sentBy(life, 50)).toBe(50);
  await life.close();
});

test('law 2: processes side by side keep books of their own, and one that follows a killed one has its part at most', async () => {
  const world = new World(dayQuota);
  const one = world.begin(dayQuota, 2);
  const two = world.begin(dayQuota, 2);
  expect(await world.sentBy(one, 60)).toBe(50);
  expect(await world.sentBy(two, 20)).toBe(20);
  await world.clock.advance(2_000);
  one.kill();
  const three = world.begin(dayQuota, 2);
  expect(await world.sentBy(three, 60)).toBe(0);
  expect(await world.sentBy(two, 60)).toBe(30);
  await two.close();
  await three.close();
  expect(await world.sentBy(world.begin(dayQuota, 2), 60)).toBe(0);
});

test('law 12: neither a partition nor a tenant can be read in the store, and what is over is forgotten there', async () => {
  const limits = [tokenBucket({ burst: 10, limit: 10, per: '20s' }), concurrency({ limit: 4, countedBy: [] })];
  const options: Options = { limits, dimensions: ['user'], tenants: { maxShare: 0.5 } };
  const world = new World(options);
  const life = world.begin();
  await world.sentBy(life, 3, { partition: { user: 'jane@example.org' }, tenant: 'acme-ltd' });
  await world.clock.advance(2_000);
  const text = JSON.stringify([...world.file.rows]);
  expect(text).not.toMatch(/jane|acme/);
  expect(world.file.rows.size).toBe(3);
  await world.clock.advance(60_000);
  expect(world.file.rows.size).toBe(2);
  await life.close();
  expect(world.clock.pendingTimers).toBe(0);
});

test('rows of processes that ended are cleared away by the next', async () => {
  const world = new World(dayQuota);
  for (let i = 0; i < 20; i += 1) {
    const life = world.begin();
    await world.sentBy(life, 2);
    if (i % 2 === 0) await life.close();
    else life.kill();
  }
  await world.begin().close();
  expect(world.file.rows.size).toBeLessThanOrEqual(2);
});

test('a process that is idle writes nothing and arms no timer', async () => {
  const world = new World(dayQuota);
  const life = world.begin();
  await world.sentBy(life, 2);
  await world.clock.advance(3_000);
  const { writes } = world.file;
  await world.clock.advance(60_000);
  expect(world.file.writes).toBe(writes);
  expect(world.clock.pendingTimers).toBe(0);
  await life.close();
});
