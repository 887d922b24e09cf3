import { concurrency, fixedWindow, slidingWindow, tokenBucket } from '../../contract/builders.js';
import type { ProviderOptions } from '../../contract/options.js';
import type { Settle } from '../port.js';
import { Lab, SECOND, settled } from './lab.fixture.js';

/** From one who is told until it asks. */
const TRIP_US = 1_000;
/** So many calls of a line come with it, then one each ten milliseconds: always more than there is room for. */
const AT_FIRST = 100;
const EACH_US = 10_000;

interface Started {
  readonly lane: number;
  readonly at: number;
  readonly cost: number;
}

interface Line {
  readonly lane: number;
  readonly cost: number;
  /** When it comes, and how long each of its calls takes. */
  readonly from?: number;
  readonly lastsUs?: number;
}

/** Processes with one lane each, in which calls always wait, from when they come: each asks when it was told to, or is woken. */
function saturate(options: Omit<ProviderOptions, 'name'>, lines: readonly Line[], forUs: number): readonly Started[] {
  const lab = new Lab({
    guard: 0,
    units: () => ({ requests: Math.max(...lines.map(({ cost }) => cost)) }),
    ...options,
  });
  const { limits } = lab.contract;
  const askers = lines.map((line, i) => ({
    from: 0,
    ...line,
    id: `p${i}`,
    at: line.from ?? 0,
    count: 0,
    ends: [] as [number, Settle][],
  }));
  const started: Started[] = [];
  for (;;) {
    askers.sort((one, other) => one.at - other.at);
    const asker = askers[0] as (typeof askers)[number];
    if (asker.at > forUs) return started;
    lab.at = Math.max(lab.at, asker.at);
    const { lane, cost, id, lastsUs = 0 } = asker;
    const want = { lane, key: id, charges: limits.map(({ kind }) => (kind === 'concurrency' ? 1 : cost)) };
    const settles = asker.ends.filter(([at]) => at <= lab.at).map(([, settle]) => settle);
    asker.ends = asker.ends.filter(([at]) => at > lab.at);
    const waited = lab.at - asker.from;
    const calls = AT_FIRST + Math.floor(waited / EACH_US) - asker.count;
    const waitedUs = waited - Math.max(0, asker.count - AT_FIRST) * EACH_US;
    const ask = { ...lab.ask({ ...want, calls, waitedUs }), newestWaitedUs: waited % EACH_US };
    const reply = lab.step({ asks: [ask], settles }, id);
    for (const grant of reply.grants) {
      asker.count += 1;
      started.push({ lane, at: lab.at, cost });
      asker.ends.push([lab.at + lastsUs, settled(grant, lab.ticket(want))]);
    }
    const told = reply.wake.length > 0 ? lab.at : lab.until(reply.waits[0]?.pollAtUs ?? Infinity) + lab.at;
    asker.at = Math.max(lab.at + TRIP_US, Math.min(told, ...asker.ends.map(([at]) => at)));
    for (const hint of lab.engine.state.hints.splice(0)) {
      const other = askers.find((one) => one.id === hint.processId) as (typeof askers)[number];
      other.at = Math.min(other.at, lab.at + TRIP_US);
    }
  }
}

/** What a lane was granted in the last so many seconds, as a share of what all were. */
function shareOf(started: readonly Started[], lane: number, fromUs: number): number {
  const late = started.filter(({ at }) => at >= fromUs);
  const sum = (some: readonly Started[]): number => some.reduce((total, { cost }) => total + cost, 0);
  return sum(late.filter((one) => one.lane === lane)) / sum(late);
}

const FOR_US = 120 * SECOND;
const FROM_US = 10 * SECOND;
/** A call of a dear lane at the end. */
const ROUNDING = 0.003;

const bucket = tokenBucket({ name: 'rate', burst: 20, limit: 20, per: '1s' });
const lanesOf = (reserve: Readonly<Record<string, number>>, guarantee: number): object => ({
  lanes: { a: { reserve }, b: { guarantee } },
});

describe('while more urgent lanes want it all, a lane has its guarantee', () => {
  const cases = [0, 1, 2, 5].flatMap((reserve) => [0.05, 0.1, 0.5].map((guarantee) => ({ reserve, guarantee })));
  const costs = [
    [1, 1],
    [5, 1],
    [1, 5],
    [2, 2],
  ] as const;

  it.each(cases)(
    'of $guarantee of a bucket, of which $reserve are reserved for the other',
    ({ reserve, guarantee }) => {
      for (const [one, other] of costs) {
        const lines = [
          { lane: 0, cost: one },
          { lane: 0, cost: one },
          { lane: 1, cost: other },
        ];
        const started = saturate({ limits: [bucket], ...lanesOf({ rate: reserve }, guarantee) }, lines, FOR_US);
        const share = shareOf(started, 1, FROM_US);
        expect(share).toBeGreaterThan(guarantee - ROUNDING);
        expect(share).toBeLessThan(guarantee + ROUNDING);
        const total = started.filter(({ at }) => at >= FROM_US).reduce((sum, { cost }) => sum + cost, 0);
        expect(total / ((FOR_US - FROM_US) / SECOND)).toBeGreaterThan(20 * 0.99);
      }
    },
  );

  it.each([0.05, 0.1, 0.4])('of %d of permits, of which some are reserved for the other', (guarantee) => {
    const limits = [
      tokenBucket({ name: 'rate', burst: 100, limit: 100, per: '1s' }),
      concurrency({ name: 'permits', limit: 8 }),
    ];
    const lines = [
      { lane: 0, cost: 1, lastsUs: 700_000 },
      { lane: 0, cost: 1, lastsUs: 500_000 },
      { lane: 1, cost: 1, lastsUs: 600_000 },
    ];
    const started = saturate({ limits, ...lanesOf({ rate: 2, permits: 2 }, guarantee) }, lines, FOR_US);
    expect(shareOf(started, 1, FROM_US)).toBeGreaterThan(guarantee - 0.01);
    expect(shareOf(started, 1, FROM_US)).toBeLessThan(guarantee + 0.01);
  });

  it.each([
    ['sliding', slidingWindow({ name: 'rate', limit: 60, per: '10s' })],
    ['fixed', fixedWindow({ name: 'rate', limit: 60, per: '10s', align: 'clock' })],
  ])('of a %s window, which opens all at once', (_kind, limit) => {
    const lines = [
      { lane: 0, cost: 1 },
      { lane: 0, cost: 1 },
      { lane: 1, cost: 1 },
    ];
    const started = saturate({ limits: [limit], ...lanesOf({}, 0.1) }, lines, FOR_US);
    expect(shareOf(started, 1, FROM_US)).toBeGreaterThan(0.1 - ROUNDING);
  });

  it('and so has each of several, and one whose neighbour is idle', () => {
    const lanes = { a: { reserve: { rate: 2 } }, b: { reserve: { rate: 1 }, guarantee: 0.2 }, c: { guarantee: 0.3 } };
    const all = [0, 1, 2].map((lane) => ({ lane, cost: 1 }));
    const started = saturate({ limits: [bucket], lanes }, all, FOR_US);
    expect(shareOf(started, 1, FROM_US)).toBeCloseTo(0.2, 2);
    expect(shareOf(started, 2, FROM_US)).toBeCloseTo(0.3, 2);
    const two = saturate({ limits: [bucket], lanes }, [all[0] as Line, all[2] as Line], FOR_US);
    expect(shareOf(two, 2, FROM_US)).toBeCloseTo(0.3, 2);
  });
});

describe('a guarantee leaves a reserve what it is', () => {
  it('one who comes after a rest starts at once, though the other lane wants all there is', () => {
    const lines = [
      { lane: 1, cost: 1 },
      { lane: 1, cost: 1 },
      { lane: 0, cost: 1, from: 60 * SECOND },
    ];
    const started = saturate({ limits: [bucket], ...lanesOf({ rate: 3 }, 0.3) }, lines, FOR_US);
    const urgent = started.filter(({ lane }) => lane === 0).map(({ at }) => at - 60 * SECOND);
    expect(urgent.slice(0, 3)).toEqual([0, 0, 0]);
  });

  it('of permits, too, where the rate alone would give the other lane more than there are', () => {
    const limits = [
      tokenBucket({ name: 'rate', burst: 100, limit: 100, per: '1s' }),
      concurrency({ name: 'permits', limit: 8 }),
    ];
    const lines = [
      { lane: 1, cost: 1, lastsUs: 2 * SECOND },
      { lane: 0, cost: 1, lastsUs: 2 * SECOND, from: 61 * SECOND },
    ];
    const started = saturate({ limits, ...lanesOf({ permits: 2 }, 0.5) }, lines, FOR_US);
    const urgent = started.filter(({ lane }) => lane === 0).map(({ at }) => at - 61 * SECOND);
    expect(urgent.slice(0, 2)).toEqual([0, 0]);
  });

  it('of a quota it never takes anything', () => {
    const lab = new Lab({
      limits: [bucket, { kind: 'quota', name: 'day', limit: 100, per: 'day', reserve: { a: 0.1 }, volatile: true }],
      lanes: { a: {}, b: { guarantee: 0.5 } },
      guard: 0,
    });
    for (let i = 0; i < 90; i += 1, lab.at += SECOND) lab.granted({ lane: 0 });
    lab.want({ lane: 1, key: 'b' }, 'other');
    lab.at += 10 * SECOND;
    expect(lab.want({ lane: 1, key: 'b' }, 'other').grants).toEqual([]);
    for (let i = 0; i < 10; i += 1, lab.at += SECOND) lab.granted({ lane: 0 });
  });
});

it('a call that fits no room but that of others is refused, not told to wait until its lane is due, which may never be', () => {
  const lab = new Lab({
    limits: [tokenBucket({ name: 'r', burst: 5, limit: 20, per: '1s' })],
    lanes: { a: { reserve: { r: 1 } }, b: { guarantee: 0.3 } },
    guard: 0,
  });
  for (let i = 0; i < 4; i += 1) lab.granted({ lane: 1, charges: [1], key: 'x' });
  lab.want({ lane: 1, charges: [1], key: 'b' });
  expect(lab.want({ lane: 1, charges: [5], key: 'b' }).denials).toMatchObject([{ reason: 'never-admissible' }]);
});
