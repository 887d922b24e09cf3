import fc from 'fast-check';
import { SeededRandom, VirtualClock } from '../../../../../testing/src/index.js';
import { concurrency, fixedWindow, quota, slidingWindow, tokenBucket } from '../../../contract/builders.js';
import { type Arrival, File, Life, type Options } from './lives.fixture.js';

const GUARD_MS = 20;
const DAY_MS = 86_400_000;

const contract = fc.record({
  bucket: fc.option(
    fc.record({
      burst: fc.integer({ min: 3, max: 30 }),
      limit: fc.integer({ min: 1, max: 30 }),
      perS: fc.constantFrom(1, 10, 60),
    }),
  ),
  own: fc.option(
    fc.record({
      burst: fc.integer({ min: 3, max: 10 }),
      limit: fc.integer({ min: 1, max: 20 }),
      perS: fc.constantFrom(1, 30),
    }),
  ),
  sliding: fc.option(fc.record({ limit: fc.integer({ min: 3, max: 40 }), perS: fc.constantFrom(1, 10, 60) })),
  fixed: fc.option(
    fc.record({
      limit: fc.integer({ min: 3, max: 40 }),
      perS: fc.constantFrom(2, 20),
      align: fc.constantFrom('clock', 'unknown'),
    }),
  ),
  permits: fc.option(fc.integer({ min: 1, max: 6 })),
  quota: fc.option(fc.integer({ min: 5, max: 80 })),
} as const);

type Contract = typeof contract extends fc.Arbitrary<infer T> ? T : never;

const event = fc.record({
  afterMs: fc.oneof(fc.nat({ max: 100 }), fc.nat({ max: 4_000 }), fc.nat({ max: 20_000 })),
  calls: fc.integer({ min: 1, max: 12 }),
  units: fc.integer({ min: 1, max: 3 }),
  account: fc.constantFrom('x', 'y'),
  runMs: fc.oneof(fc.constant(0), fc.nat({ max: 2_000 })),
  next: fc.constantFrom(...Array.from({ length: 9 }, () => 'go on'), 'kill', 'kill at once', 'close'),
  downMs: fc.oneof(fc.constant(0), fc.nat({ max: 3_000 })),
  backMs: fc.oneof(fc.constant(0), fc.constant(0), fc.nat({ max: 5_000 })),
} as const);

function optionsOf({ bucket, own, sliding, fixed, permits, quota: daily }: Contract): Options {
  const whole = { countedBy: [] as string[] };
  return {
    guard: GUARD_MS,
    dimensions: ['account'],
    timeouts: { attempt: '2s' },
    limits: [
      ...(bucket
        ? [tokenBucket({ name: 'bucket', burst: bucket.burst, limit: bucket.limit, per: `${bucket.perS}s`, ...whole })]
        : []),
      ...(own ? [tokenBucket({ name: 'own', burst: own.burst, limit: own.limit, per: `${own.perS}s` })] : []),
      ...(sliding ? [slidingWindow({ limit: sliding.limit, per: `${sliding.perS}s`, ...whole })] : []),
      ...(fixed
        ? [fixedWindow({ limit: fixed.limit, per: `${fixed.perS}s`, align: fixed.align as 'clock', ...whole })]
        : []),
      ...(permits ? [concurrency({ limit: permits, ...whole })] : []),
      ...(daily ? [quota({ limit: daily, per: 'day', timeZone: 'UTC', ...whole })] : []),
    ],
  };
}

function sumOf(arrivals: readonly Arrival[]): number {
  return arrivals.reduce((sum, { units }) => sum + units, 0);
}

/** Looks at every interval that begins and ends with an arrival. */
function overBucket(log: readonly Arrival[], burst: number, perMs: number): string[] {
  const over: string[] = [];
  for (let i = 0; i < log.length; i += 1) {
    let sum = 0;
    for (let j = i; j < log.length; j += 1) {
      const last = log[j] as Arrival;
      sum += last.units;
      const lasted = last.atMs - (log[i] as Arrival).atMs;
      if (sum > burst + lasted * perMs + 1e-6) over.push(`bucket: ${sum} in ${lasted} ms at ${last.atMs}`);
    }
  }
  return over;
}

function overWindow(log: readonly Arrival[], limit: number, spanMs: number): string[] {
  return log.flatMap(({ atMs }) => {
    const sum = sumOf(log.filter((one) => one.atMs > atMs - spanMs && one.atMs <= atMs));
    return sum > limit ? [`window: ${sum} until ${atMs}`] : [];
  });
}

function overPeriods(log: readonly Arrival[], limit: number, spanMs: number): string[] {
  const sums = new Map<number, number>();
  for (const { wallMs, units } of log) {
    const period = Math.floor(wallMs / spanMs);
    sums.set(period, (sums.get(period) ?? 0) + units);
  }
  return [...sums].flatMap(([period, sum]) => (sum > limit ? [`period: ${sum} in ${period}`] : []));
}

function overPermits(log: readonly Arrival[], limit: number): string[] {
  return log.flatMap(({ atMs }) => {
    const held = log.filter((one) => one.atMs <= atMs && one.endsMs > atMs).length;
    return held > limit ? [`permits: ${held} at ${atMs}`] : [];
  });
}

function violations(
  log: readonly Arrival[],
  { bucket, own, sliding, fixed, permits, quota: daily }: Contract,
  wallTrue: boolean,
): string[] {
  const accounts = ['x', 'y'].map((account) => log.filter((one) => one.account === account));
  return [
    ...(bucket ? overBucket(log, bucket.burst, bucket.limit / bucket.perS / 1000) : []),
    ...(own ? accounts.flatMap((one) => overBucket(one, own.burst, own.limit / own.perS / 1000)) : []),
    ...(sliding ? overWindow(log, sliding.limit, sliding.perS * 1000) : []),
    ...(fixed && fixed.align === 'unknown' ? overWindow(log, fixed.limit, fixed.perS * 1000) : []),
    ...(fixed && fixed.align === 'clock' && wallTrue ? overPeriods(log, fixed.limit, fixed.perS * 1000) : []),
    ...(permits ? overPermits(log, permits) : []),
    ...(daily && wallTrue ? overPeriods(log, daily, DAY_MS) : []),
  ];
}

describe('law 2: over restarts', () => {
  it('no interval holds more than a limit allows, whether processes end in order or are killed, and if the wall clock is set back', async () => {
    let granted = 0;
    let restarts = 0;
    await fc.assert(
      fc.asyncProperty(
        contract,
        fc.array(event, { minLength: 5, maxLength: 40 }),
        fc.nat(),
        async (made, history, seed) => {
          const options = optionsOf(made);
          if (options.limits?.length === 0) return;
          const chance = new SeededRandom(seed);
          // Near the end of a day, so that some histories cross midnight.
          const clock = new VirtualClock({ wall: Date.UTC(2026, 0, 1, 23, 59, 30) });
          const file = new File(clock, () => chance.next() * 15);
          const log: Arrival[] = [];
          const begin = (): Life =>
            new Life(clock, (life) => file.bookFor(life, () => chance.next() < 0.5), options, log);
          let life = begin();
          let wallTrue = true;
          for (const { afterMs, calls, units, account, runMs, next, downMs, backMs } of history) {
            await clock.advance(afterMs);
            for (let i = 0; i < calls; i += 1) {
              void life.call({ partition: { account }, units: { requests: units }, runMs, maxWaitMs: 20_000 });
            }
            if (next === 'go on') continue;
            restarts += 1;
            if (next === 'kill') await clock.advance(chance.next() * 60);
            if (next === 'close') await life.close();
            life.kill();
            await clock.advance(downMs);
            if (backMs > 0) {
              clock.stepWall(-backMs);
              wallTrue = false;
            }
            life = begin();
          }
          await clock.advance(5_000);
          granted += log.length;
          life.kill();
          expect(violations(log, made, wallTrue)).toEqual([]);
        },
      ),
      { numRuns: 150 },
    );
    // Else it would have judged nothing.
    expect(granted).toBeGreaterThan(1_000);
    expect(restarts).toBeGreaterThan(300);
  }, 120_000);
});
