import { concurrency, fixedWindow, quota, slidingWindow, tokenBucket } from './builders.js';
import { defineProvider } from './define-provider.js';
import { largestConcurrency, volatileQuotaMissing, warnings } from './facts.js';
import type { LimitOptions, ProviderOptions } from './options.js';

function contract(limits: readonly LimitOptions[], more: Partial<ProviderOptions> = {}) {
  return defineProvider({ name: 'crm', dimensions: ['user'], limits, ...more });
}

describe('the most attempts under way at once', () => {
  test('there is none without a concurrency limit', () => {
    expect(largestConcurrency(contract([slidingWindow({ limit: 9, per: '1m' })]).resolved)).toBeNull();
  });

  test('is the least of the limits that hold for all requests', () => {
    const limits = [
      concurrency({ limit: 8, countedBy: [] }),
      concurrency({ limit: 6, countedBy: [] }),
      concurrency({ limit: 2 }),
      concurrency({ limit: 1, countedBy: [], routes: ['search'] }),
    ];
    expect(largestConcurrency(contract(limits, { routes: { search: 'GET /search' } }).resolved)).toBe(6);
  });

  test('is the largest of the others where no limit holds for all', () => {
    expect(largestConcurrency(contract([concurrency({ limit: 2 }), concurrency({ limit: 5 })]).resolved)).toBe(5);
  });

  test('is of our share', () => {
    expect(largestConcurrency(contract([concurrency({ limit: 8 })], { ourShare: 0.5 }).resolved)).toBe(4);
  });
});

test('quotas that a restart would forget are named, unless they accept it', () => {
  const limits = [
    quota({ limit: 9, per: 'day' }),
    quota({ name: 'monthly', limit: 99, per: 'month' }),
    quota({ name: 'told', limit: 99, per: 'day', volatile: true }),
    slidingWindow({ limit: 9, per: '1d' }),
  ];
  expect(volatileQuotaMissing(contract(limits))).toEqual(['quota', 'monthly']);
});

describe('a limit that loses over a tenth of its rate to the guard is warned of', () => {
  test.each<[string, LimitOptions, Partial<ProviderOptions>, number | null]>([
    ['a bucket with a burst to spare', tokenBucket({ burst: 30, limit: 30, per: '1m' }), {}, null],
    ['a bucket of burst one at 5 a second', tokenBucket({ burst: 1, limit: 5, per: '1s' }), {}, 33],
    ['the same at 1 a second', tokenBucket({ burst: 1, limit: 1, per: '1s' }), {}, null],
    ['the same with the guard of a loopback', tokenBucket({ burst: 1, limit: 5, per: '1s' }), { guard: 1 }, null],
    [
      'a bucket that holds one dear call and a bit',
      tokenBucket({ burst: 110, limit: 200, per: '1s' }),
      { defaultUnits: { requests: 100 }, units: () => ({}) },
      50,
    ],
    ['a window of a second', slidingWindow({ limit: 10, per: '1s' }), {}, null],
    ['a window of half a second', slidingWindow({ limit: 10, per: '500ms' }), {}, 17],
    [
      'a fixed window of a second, counted at both edges',
      fixedWindow({ limit: 10, per: '1s', align: 'clock' }),
      {},
      17,
    ],
    ['permits', concurrency({ limit: 1 }), { guard: '1h' }, null],
    ['a quota', quota({ limit: 1, per: 'day' }), {}, null],
  ])('%s', (_, limit, more, loss) => {
    const found = warnings(contract([limit], more));
    if (loss === null) return expect(found).toEqual([]);
    expect(found).toEqual([expect.stringContaining(`loses ${loss} % of its rate to the guard of 100ms`)]);
    expect(found[0]).toContain(`Provider "crm": limit "${limit.kind}"`);
  });
});
