import { tokenBucket } from '../contract/builders.js';
import { Harness } from './harness.fixture.js';

test('law 13: beforeSend signs every attempt, sees what is sent, and runs after the grant', async () => {
  const seen: unknown[] = [];
  const harness: Harness = new Harness({
    script: '503, 200',
    options: {
      auth: { credentials: () => ({ headers: { authorization: 'token' } }) },
      beforeSend: ({ method, path, headers }) => {
        seen.push([method, path, headers['authorization'], harness.double.open]);
        return { 'x-signature': `at ${harness.clock.monoMs()}` };
      },
    },
  });
  const going = harness.go();
  await harness.clock.advance(60_000);
  expect(going.told).toBe('200');
  expect(seen).toEqual(Array(2).fill(['GET', '/things', 'token', 1]));
  expect(harness.provider.log.map(({ headers }) => headers['x-signature'])).toEqual(['at 0', 'at 1000']);
  await harness.expectNothingLeft();
});

test.each<[string, () => unknown]>([
  [
    'throws',
    () => {
      throw new Error('no key in the vault');
    },
  ],
  ['rejects', () => Promise.reject(new Error('no key in the vault'))],
  ['gives what is no headers', () => 'x-signature: 1'],
  ['gives a header that is no text', () => ({ 'x-signature': 7 })],
  ['never ends', () => new Promise(() => undefined)],
])('law 13: a beforeSend that %s refuses the call unsent, and its permit goes back', async (_what, beforeSend) => {
  const harness = new Harness({
    script: '',
    options: { beforeSend: beforeSend as never, timeouts: { attempt: '1s', total: '1d' } },
  });
  const going = harness.go();
  await harness.clock.advance(1000);
  expect(going.end).toMatchObject({ decision: 'raise', outcome: 'refused', cancelled: false });
  expect((going.end as unknown as { error: Error }).error).toMatchObject({ name: 'SluiceError', provider: 'crm' });
  expect(harness.provider.log).toHaveLength(0);
  expect(harness.double.settled).toMatchObject([{ settlement: { end: 'not-sent', health: 'none' } }]);
  expect(harness.ofType('hook-failed')).toMatchObject([{ hook: 'beforeSend' }]);
  expect(JSON.stringify(harness.events)).not.toContain('vault');
  await harness.expectNothingLeft();
});

test('law 13: costs that throw leave the default, and are reported', async () => {
  const fails = (): never => {
    throw new Error('of the contract');
  };
  const harness = new Harness({ script: '200', options: { units: fails, settleUnits: fails } });
  const going = harness.go();
  await harness.clock.advance(0);
  expect(going.told).toBe('200');
  expect(harness.ofType('hook-failed').map(({ hook }) => hook)).toEqual(['units', 'settleUnits']);
  expect(harness.double.settled).toMatchObject([{ settlement: { trueUnits: null } }]);
  await harness.expectNothingLeft();
});

test('what is wrong with a cost is told in words of ours, a failure in a function by its name only', async () => {
  const limits = [tokenBucket({ burst: 5, limit: 5, per: '1s' })];
  const errorsOf = async (units: () => object, sluice: object = {}): Promise<string[]> => {
    const harness = new Harness({ script: '200', options: { limits, units: units as never } });
    const going = harness.go('GET', { sluice: sluice as never });
    await harness.clock.advance(0);
    expect(going.told).toBe('200');
    await harness.expectNothingLeft();
    return harness.ofType('hook-failed').map(({ hook, error }) => `${hook}: ${error}`);
  };
  expect(await errorsOf(() => ({ calls: 1 }))).toEqual([
    'units: it names "calls", which no limit counts: they count requests',
  ]);
  expect(await errorsOf(() => ({}), { units: { requests: -3 } })).toEqual([
    'units: the cost of "requests" is -3, not a figure from 0',
  ]);
  expect(await errorsOf(() => ({}), { units: { requests: 'a secret' } })).toEqual([
    'units: the cost of "requests" is of type string, not a figure from 0',
  ]);
  const fails = (): never => {
    throw new RangeError('a secret');
  };
  expect(await errorsOf(fails)).toEqual(['units: RangeError']);
});

test('law 13: an observer that fails changes no call', async () => {
  const harness = new Harness({ script: '503, 200' });
  harness.hub.subscribe(() => {
    throw new Error('of the observer');
  });
  const going = harness.go();
  await harness.clock.advance(60_000);
  expect(going.told).toBe('200');
  expect(harness.ofType('hook-failed').length).toBeGreaterThan(0);
  await harness.expectNothingLeft();
});

test('law 13: an empty partition value refuses the call', async () => {
  const harness = new Harness({ script: '200', options: { dimensions: ['account'] } });
  expect(() => harness.call('GET', { sluice: { partition: { account: '' } } })).toThrow(/partition\.account/);
  expect(() => harness.call('GET', { sluice: { partition: { account: undefined as never } } })).toThrow(
    /partition\.account/,
  );
  await harness.expectNothingLeft();
});

test('law 12: no event tells a path, a query, a header, a body, a key or a partition', async () => {
  const harness = new Harness({
    script: '503, 429(x-secret: s-header), 401',
    options: {
      dimensions: ['account'],
      idempotency: {},
      auth: { credentials: () => ({ headers: { authorization: 's-token' } }) },
      routes: { thing: 'POST /things/:id' },
    },
  });
  const request = {
    method: 'POST',
    path: '/things/s-path',
    query: { q: 's-query' },
    headers: { cookie: 's-cookie' },
    body: { name: 's-body' },
    route: null,
  };
  const sluice = { partition: { account: 's-account' }, tenant: 's-tenant', idempotencyKey: 's-key' };
  const going = harness.go('POST', { request, sluice });
  await harness.clock.advance(600_000);
  expect(going.told).toMatch(/401|script/);
  expect(harness.events.length).toBeGreaterThan(10);
  expect(JSON.stringify(harness.events)).not.toMatch(/s-(path|query|header|cookie|body|token|account|tenant|key)/);
  await harness.expectNothingLeft();
});

test('first attempts, retries and repeats are told apart', async () => {
  const harness = new Harness({ script: '503, 429, 200' });
  harness.go();
  await harness.clock.advance(60_000);
  expect(harness.ofType('attempt-started').map(({ kind, attempt }) => `${kind} ${attempt}`)).toEqual([
    'first 1',
    'retry 2',
    'repeat 3',
  ]);
  expect(harness.ofType('call-ended')).toMatchObject([{ attempts: 3, outcome: 'succeeded' }]);
  await harness.expectNothingLeft();
});
