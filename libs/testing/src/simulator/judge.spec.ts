import fc from 'fast-check';
import { Judge } from './judge.js';
import type { SimulatedLimit } from './limits/options.js';
import { type SimulatedRequest, toRequest } from './request.js';

const START_US = Date.UTC(2026, 0, 1) * 1_000;

interface Arrival {
  readonly atUs: number;
  readonly cost: number;
  readonly who: string;
}

const request = (arrival: Arrival): SimulatedRequest =>
  toRequest({ method: 'GET', target: '/', headers: { who: arrival.who, cost: String(arrival.cost) }, text: '' });

const byHeaders = {
  partition: (r: SimulatedRequest) => r.headers['who'] ?? '',
  cost: (r: SimulatedRequest) => Number(r.headers['cost']),
};

// Mostly whole milliseconds, so that arrivals meet the ends of windows and refills exactly.
const gapUs = fc.oneof(
  { weight: 2, arbitrary: fc.constant(0) },
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 4 }).map((ms) => ms * 1_000) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 3_000 }) },
);

const arrivals = fc
  .array(fc.record({ gapUs, cost: fc.integer({ min: 0, max: 4 }), who: fc.constantFrom('a', 'b') }), {
    minLength: 1,
    maxLength: 40,
    size: 'max',
  })
  .map((gaps): Arrival[] => {
    let atUs = 0;
    return gaps.map((gap) => ({ atUs: (atUs += gap.gapUs), cost: gap.cost, who: gap.who }));
  });

/** Judges all arrivals and gives back those admitted, in order. */
function admitted(limit: SimulatedLimit, all: readonly Arrival[]): Arrival[] {
  const judge = new Judge([limit]);
  return all.filter((a) => judge.judge(request(a), { monoUs: a.atUs, wallUs: START_US + a.atUs }).limitedBy === null);
}

/** Brute force: an arrival is admitted exactly when all that was admitted before, with it, still keeps the limit's own definition. */
function byDefinition(all: readonly Arrival[], keeps: (kept: readonly Arrival[]) => boolean): Arrival[] {
  const kept = new Map<string, Arrival[]>();
  return all.filter((arrival) => {
    const mine = [...(kept.get(arrival.who) ?? []), arrival];
    if (!keeps(mine)) return false;
    kept.set(arrival.who, mine);
    return true;
  });
}

const sum = (list: readonly Arrival[]): number => list.reduce((total, { cost }) => total + cost, 0);

test('a token bucket never admits more than B + r·t over any span, and refuses only what would', () => {
  fc.assert(
    fc.property(
      arrivals,
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 1, max: 7 }),
      fc.integer({ min: 1, max: 9 }),
      (all, burst, limit, perMs) => {
        const keeps = (kept: readonly Arrival[]): boolean =>
          kept.every((from, i) =>
            kept.slice(i).every((to, j) => {
              const spent = BigInt(sum(kept.slice(i, i + j + 1))) * BigInt(perMs * 1_000);
              return spent <= BigInt(burst) * BigInt(perMs * 1_000) + BigInt(limit) * BigInt(to.atUs - from.atUs);
            }),
          );
        expect(admitted({ kind: 'token-bucket', burst, limit, perMs, ...byHeaders }, all)).toEqual(
          byDefinition(all, keeps),
        );
      },
    ),
    { numRuns: 150 },
  );
});

test('a sliding window never holds more than its limit, and refuses only what would not fit', () => {
  fc.assert(
    fc.property(arrivals, fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 9 }), (all, limit, perMs) => {
      const keeps = (kept: readonly Arrival[]): boolean =>
        kept.every(({ atUs }) => sum(kept.filter((k) => k.atUs <= atUs && k.atUs > atUs - perMs * 1_000)) <= limit);
      expect(admitted({ kind: 'sliding-window', limit, perMs, ...byHeaders }, all)).toEqual(byDefinition(all, keeps));
    }),
    { numRuns: 150 },
  );
});

test('a fixed window on the clock admits its limit in each window and no more', () => {
  fc.assert(
    fc.property(arrivals, fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 9 }), (all, limit, perMs) => {
      const windowOf = ({ atUs }: Arrival): bigint => BigInt(START_US + atUs) / BigInt(perMs * 1_000);
      const keeps = (kept: readonly Arrival[]): boolean =>
        kept.every((k) => sum(kept.filter((other) => windowOf(other) === windowOf(k))) <= limit);
      expect(admitted({ kind: 'fixed-window', align: 'clock', limit, perMs, ...byHeaders }, all)).toEqual(
        byDefinition(all, keeps),
      );
    }),
    { numRuns: 150 },
  );
});

test('a fixed window from the first call lasts its period, and the next begins with the next call', () => {
  fc.assert(
    fc.property(arrivals, fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 9 }), (all, limit, perMs) => {
      const keeps = (kept: readonly Arrival[]): boolean => {
        let [start, used] = [-Infinity, 0];
        return kept.every(({ atUs, cost }) => {
          if (atUs >= start + perMs * 1_000) [start, used] = [atUs, 0];
          return (used += cost) <= limit;
        });
      };
      expect(admitted({ kind: 'fixed-window', limit, perMs, ...byHeaders }, all)).toEqual(byDefinition(all, keeps));
    }),
    { numRuns: 150 },
  );
});

test('what is told as the wait is exact: refused a microsecond before it is over, admitted at its end', () => {
  const rates: SimulatedLimit[] = [
    { kind: 'token-bucket', burst: 3, limit: 7, perMs: 11, ...byHeaders },
    { kind: 'sliding-window', limit: 4, perMs: 7, ...byHeaders },
    { kind: 'fixed-window', limit: 4, perMs: 7, ...byHeaders },
    { kind: 'fixed-window', limit: 4, perMs: 7, align: 'clock', ...byHeaders },
  ];
  fc.assert(
    fc.property(fc.constantFrom(...rates), arrivals, fc.integer({ min: 1, max: 3 }), (limit, all, cost) => {
      const replayed = (delayUs: number): ReturnType<Judge['judge']> => {
        const judge = new Judge([limit]);
        for (const a of all) judge.judge(request(a), { monoUs: a.atUs, wallUs: START_US + a.atUs });
        const atUs = (all.at(-1)?.atUs ?? 0) + delayUs;
        return judge.judge(request({ atUs, cost, who: 'a' }), { monoUs: atUs, wallUs: START_US + atUs });
      };
      const { limitedBy, waitUs } = replayed(0);
      fc.pre(limitedBy !== null);
      expect(waitUs).toBeGreaterThan(0);
      expect(replayed((waitUs as number) - 1).limitedBy).not.toBeNull();
      expect(replayed(waitUs as number).limitedBy).toBeNull();
    }),
    { numRuns: 150 },
  );
});

test('concurrency admits up to its limit at once, and a place is given back once', () => {
  fc.assert(
    fc.property(
      fc.array(fc.boolean(), { maxLength: 80, size: 'max' }),
      fc.integer({ min: 1, max: 5 }),
      (steps, limit) => {
        const judge = new Judge([{ kind: 'concurrency', limit }]);
        const active: (() => void)[] = [];
        for (const starts of steps) {
          if (!starts) {
            const release = active.shift();
            release?.();
            release?.();
            continue;
          }
          const { limitedBy, release } = judge.judge(request({ atUs: 0, cost: 1, who: 'a' }), {
            monoUs: 0,
            wallUs: START_US,
          });
          expect(limitedBy === null).toBe(active.length < limit);
          if (limitedBy === null) active.push(release);
        }
      },
    ),
  );
});

const at = (ms: number): { monoUs: number; wallUs: number } => ({ monoUs: ms * 1_000, wallUs: START_US + ms * 1_000 });
const one = request({ atUs: 0, cost: 1, who: 'a' });

test('a refill that ends between two microseconds lets in at the later one', () => {
  const admittedAt = (monoUs: number): unknown => {
    const judge = new Judge([{ kind: 'token-bucket', burst: 1, limit: 7, perMs: 11 }]);
    const first = judge.judge(one, at(0));
    const { limitedBy, waitUs } = judge.judge(one, { monoUs, wallUs: START_US + monoUs });
    return [first.limitedBy, limitedBy, waitUs];
  };
  // 11,000 / 7 = 1,571.4 microseconds
  expect(admittedAt(1_571)).toEqual([null, 'token-bucket', 1]);
  expect(admittedAt(1_572)).toEqual([null, null, null]);
});

test('what is left is told as it is after the request', () => {
  const judge = new Judge([{ kind: 'sliding-window', limit: 3, perMs: 10 }]);
  expect([0, 5, 10].map((ms) => judge.judge(one, at(ms)).limits[0]?.remaining)).toEqual([2, 1, 1]);
  expect(judge.judge(one, at(30)).limits[0]).toMatchObject({ remaining: 2, resetUs: 10_000, periodMs: 10 });
});

test('a request is charged to all limits or to none', () => {
  const judge = new Judge([
    { kind: 'sliding-window', name: 'wide', limit: 2, perMs: 1_000 },
    { kind: 'sliding-window', name: 'narrow', limit: 1, perMs: 100 },
  ]);
  expect([0, 1, 2, 100, 101].map((ms) => judge.judge(one, at(ms)).limitedBy)).toEqual([
    null,
    'narrow',
    'narrow',
    null,
    'wide',
  ]);
});

test('where refused calls count, hammering a window keeps it closed and eats the quota', () => {
  const judge = new Judge([
    { kind: 'sliding-window', limit: 1, perMs: 10, refusedCalls: 'count' },
    { kind: 'quota', limit: 5, per: 'day', refusedCalls: 'count' },
  ]);
  expect([0, 5, 10, 15, 20].map((ms) => judge.judge(one, at(ms)).limitedBy)).toEqual([
    null,
    ...Array.from({ length: 4 }, () => 'sliding-window'),
  ]);
  expect(judge.judge(one, at(100)).limitedBy).toBe('quota');
});

test('a daily quota begins anew at midnight UTC of the provider, a monthly one on the first', () => {
  const day = new Judge([{ kind: 'quota', limit: 1, per: 'day' }]);
  const DAY = 86_400_000;
  expect([0, DAY - 1, DAY].map((ms) => day.judge(one, at(ms)).limitedBy)).toEqual([null, 'quota', null]);
  const month = new Judge([{ kind: 'quota', limit: 1, per: 'month' }]);
  expect([0, 31 * DAY - 1, 31 * DAY].map((ms) => month.judge(one, at(ms)).limitedBy)).toEqual([null, 'quota', null]);
  expect(month.judge(one, at(31 * DAY)).waitUs).toBe(28 * DAY * 1_000);
});

test('a cost beyond the whole limit is refused without a wait that would help', () => {
  const judge = new Judge([{ kind: 'token-bucket', burst: 2, limit: 2, perMs: 1_000, cost: () => 3 }]);
  expect(judge.judge(one, at(0))).toMatchObject({ limitedBy: 'token-bucket', waitUs: null });
});

test.each([0, -1, 1.5, Number.NaN])('a limit of %p is refused when the simulator is made', (limit) => {
  expect(() => new Judge([{ kind: 'sliding-window', limit, perMs: 1_000 }])).toThrow(RangeError);
});
