import { concurrency, fixedWindow, quota, slidingWindow, tokenBucket } from '../../libs/core/src/contract/builders.js';
import type { LimitOptions, ProviderOptions } from '../../libs/core/src/contract/options.js';
import { Place, SECOND } from '../gate/redis-process.fixture.js';
import { Release } from './release.fixture.js';

type Options = Partial<ProviderOptions> & Pick<ProviderOptions, 'limits'>;

const MINUTE = 60 * SECOND;
const CAP = 5;
const name = 'only';
const window = { name, limit: CAP, per: '1h' } as const;
const clocked = (per: '1h' | '2h'): LimitOptions => fixedWindow({ ...window, per, align: 'clock' });
const daily = (timeZone: string): LimitOptions => quota({ name, limit: CAP, per: 'day', timeZone, volatile: true });
const bucket = tokenBucket({ name, burst: CAP, limit: 1, per: '1h' });

let place: Place;
beforeEach(() => {
  place = new Place();
  place.nowUs += 10 * MINUTE;
});
afterEach(() => place.close());

/** What both get in some minutes of asking in turn, each time for one call. */
async function granted(old: Options, young: Options): Promise<number> {
  const releases = [new Release(place, 'old', old), new Release(place, 'young', young)];
  let sum = 0;
  for (let turn = 0; turn < 12; turn += 1) {
    for (const release of releases) sum += (await release.step(1)).grants.length;
    place.nowUs += 10 * SECOND;
  }
  return sum;
}

describe('while one release replaces another, both together get no more of a limit than either may', () => {
  it.each<[string, Options, Options]>([
    ['where the guard is another, of a quota', { limits: [daily('UTC')], guard: '50ms' }, { limits: [daily('UTC')] }],
    [
      'where the guard is another, of windows of the clock',
      { limits: [clocked('1h')], guard: '50ms' },
      { limits: [clocked('1h')] },
    ],
    ['where the day begins elsewhere', { limits: [daily('UTC')] }, { limits: [daily('Europe/Rome')] }],
    [
      'where the day is a month',
      { limits: [daily('UTC')] },
      { limits: [quota({ name, limit: CAP, per: 'month', volatile: true })] },
    ],
    ['where the windows of the clock are longer', { limits: [clocked('1h')] }, { limits: [clocked('2h')] }],
    [
      'where nobody knows any more when the windows begin',
      { limits: [clocked('1h')] },
      { limits: [fixedWindow(window)] },
    ],
    [
      'where a bucket refills at another rate',
      { limits: [bucket] },
      { limits: [tokenBucket({ name, burst: CAP, limit: 2, per: '1h' })], guard: '50ms' },
    ],
    [
      'where the window that slides is longer',
      { limits: [slidingWindow(window)] },
      { limits: [slidingWindow({ ...window, per: '2h' })] },
    ],
  ])('%s', async (_, old, young) => {
    expect(await granted(old, young)).toBe(CAP);
  });
});

describe('while one release replaces another, each counts what it grants itself where a limit is of another kind', () => {
  const kinds: readonly [string, LimitOptions][] = [
    ['a bucket', bucket],
    ['a sliding window', slidingWindow(window)],
    ['a fixed window', clocked('1h')],
    ['a quota', daily('UTC')],
  ];
  const pairs = kinds.flatMap(([one, old], i) =>
    kinds.slice(i + 1).map(([other, young]) => [one, other, old, young] as const),
  );
  it.each(pairs)('%s and %s', async (_one, _other, old, young) => {
    expect(await granted({ limits: [old] }, { limits: [young] })).toBe(2 * CAP);
  });
});

it('keys live as long as the contract of whoever takes steps wants', async () => {
  const limits = [tokenBucket({ burst: CAP, limit: 1, per: '1s' })];
  const long = new Release(place, 'long', { limits });
  const short = new Release(place, 'short', {
    limits,
    pause: { maxHint: '1m', flushAfter: '1m', initial: '1s', max: '2s' },
  });
  await long.step(1);
  await short.step(1);
  place.nowUs += 26 * 60 * MINUTE;
  await short.step(1);
  await long.step(1);
  expect(await place.redis.pttl(`${place.at.base}:h`)).toBeGreaterThan(24 * 3_600_000);
});

it('a bucket that would never refill is no reason to refuse', async () => {
  const release = new Release(place, 'a', {
    limits: [tokenBucket({ burst: Number.MAX_SAFE_INTEGER, limit: 1, per: '30d' })],
  });
  expect((await release.step(1)).grants).toHaveLength(1);
});

it('permits come back, whoever finds that their time is over, though the name means another limit there', async () => {
  const old = new Release(place, 'old', { limits: [concurrency({ name, limit: 2 })] });
  const young = new Release(place, 'young', { limits: [bucket] });
  expect((await old.step(3)).grants).toHaveLength(2);
  place.nowUs += MINUTE;
  await young.step(1);
  expect((await old.step(3)).grants).toHaveLength(2);
  expect((await old.step(3)).grants).toHaveLength(0);
});
