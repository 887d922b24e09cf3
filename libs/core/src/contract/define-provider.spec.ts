import { concurrency, quota, slidingWindow, tokenBucket } from './builders.js';
import { defineProvider } from './define-provider.js';

test('a contract of a name and one limit has every default', () => {
  const { resolved } = defineProvider({ name: 'crm', limits: [tokenBucket({ burst: 30, limit: 30, per: '1m' })] });
  expect(resolved.limits).toEqual([
    {
      kind: 'token-bucket',
      name: 'token-bucket',
      unit: 'requests',
      countedBy: [],
      routes: null,
      refusedCallsCount: true,
      burst: 30,
      limit: 30,
      perMs: 60_000,
    },
  ]);
  expect(resolved.lanes.map(({ name }) => name)).toEqual(['default']);
  expect(resolved.timeouts).toEqual({ connectMs: 5_000, attemptMs: 10_000, bodyIdleMs: 10_000, totalMs: 300_000 });
  expect(resolved.queue).toEqual({ maxSize: 1_000, maxWaitMs: 180_000, refuse: 'certain' });
  expect(resolved.retry).toEqual({
    maxAttempts: 5,
    throttledMaxAttempts: 5,
    baseDelayMs: 1_000,
    maxDelayMs: 30_000,
    maxWaitMs: 61_000,
    jitter: 'full',
    budget: { ratio: 0.1, floor: 4, onSpent: 'wait' },
  });
  expect(resolved.pause).toEqual({
    initialMs: 60_000,
    factor: 2,
    maxMs: 1_800_000,
    maxHintMs: 604_800_000,
    maxGuessMs: null,
    flushAfterMs: 129_600_000,
  });
  expect(resolved).toMatchObject({
    breaker: null,
    idempotency: null,
    auth: null,
    guardMs: 100,
    outage: 'local-share',
    mode: 'enforce',
    graphql: false,
    safe: ['GET *', 'HEAD *', 'OPTIONS *'],
    defaultUnits: { requests: 1 },
    demand: { singleFlight: true, requestReuse: false },
    tenants: { maxShare: 1, maxQueued: 1_000, weight: null },
  });
});

test('limits without a name are called by their kind, numbered where that is taken', () => {
  const window = { limit: 1, per: '1s' } as const;
  const { resolved } = defineProvider({
    name: 'crm',
    limits: [
      slidingWindow(window),
      slidingWindow({ ...window, name: 'sliding-window-2' }),
      slidingWindow(window),
      concurrency({ limit: 2 }),
    ],
  });
  expect(resolved.limits.map(({ name }) => name)).toEqual([
    'sliding-window',
    'sliding-window-2',
    'sliding-window-3',
    'concurrency',
  ]);
});

test('a limit is counted by all dimensions unless it says otherwise, in the order of the contract', () => {
  const bucket = { burst: 1, limit: 1, per: '1s' } as const;
  const { resolved } = defineProvider({
    name: 'crm',
    dimensions: ['account', 'user'],
    limits: [
      tokenBucket(bucket),
      tokenBucket({ ...bucket, countedBy: ['user', 'account'] }),
      tokenBucket({ ...bucket, countedBy: [] }),
    ],
  });
  expect(resolved.limits.map(({ countedBy }) => countedBy)).toEqual([['account', 'user'], ['account', 'user'], []]);
});

test('a default gives way to what was said', () => {
  const { resolved } = defineProvider({
    name: 'crm',
    limits: [],
    timeouts: { total: '2s' },
    retry: { maxDelay: '200ms' },
  });
  expect(resolved.timeouts).toMatchObject({ connectMs: 2_000, attemptMs: 2_000, totalMs: 2_000 });
  expect(resolved.retry).toMatchObject({ baseDelayMs: 200, maxDelayMs: 200, maxWaitMs: 2_000 });
});

test('ourShare scales every limit, without the dust of binary fractions', () => {
  const { resolved } = defineProvider({
    name: 'crm',
    ourShare: 0.29,
    limits: [
      tokenBucket({ burst: 100, limit: 100, per: '1s' }),
      concurrency({ limit: 10 }),
      quota({ limit: 1_000, per: 'day' }),
    ],
  });
  expect(resolved.limits).toMatchObject([{ burst: 29, limit: 29 }, { limit: 2 }, { limit: 290 }]);
});

test('what is returned is frozen to the bottom; what was given stays the user’s own', () => {
  class Agent {
    keepAlive = true;
  }
  const options = {
    name: 'crm',
    limits: [concurrency({ limit: 2 })],
    http: { headers: { a: '1' }, httpAgent: new Agent() },
  };
  const contract = defineProvider(options);
  expect(Object.isFrozen(contract)).toBe(true);
  expect(Object.isFrozen(contract.resolved.limits[0])).toBe(true);
  expect(Object.isFrozen(contract.resolved.options.http?.['headers'])).toBe(true);
  expect(contract.resolved.options.http?.['httpAgent']).toBe(options.http.httpAgent);
  expect(Object.isFrozen(options.http.httpAgent)).toBe(false);
  options.http.headers.a = '2';
  expect(contract.resolved.options.http?.['headers']).toEqual({ a: '1' });
});
