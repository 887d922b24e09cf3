import { enterMethod } from '../context/enter.js';
import { operationOf } from '../idempotency/keys.js';
import { type Going, Harness } from './harness.fixture.js';

const idempotency = { header: 'X-Key', retention: '10s' } as const;

test('law 7: all tries of a keyed write send the same key', async () => {
  const harness = new Harness({ script: '503, reset, 200', options: { idempotency } });
  const going = harness.go('POST', { sluice: { idempotencyKey: 'order-7' } });
  await harness.clock.advance(60_000);
  expect(going.told).toBe('200');
  expect(harness.provider.log.map(({ headers }) => headers)).toEqual(Array(3).fill({ 'X-Key': 'order-7' }));
  expect(harness.double.asks.map(({ safety }) => safety)).toEqual(Array(3).fill('keyed'));
  await harness.expectNothingLeft();
});

test('law 7: no try is made that the provider may take for a new one: the outcome is unknown', async () => {
  const harness = new Harness({ script: 'reset x3, reset', options: { idempotency } });
  const going = harness.go('POST', { sluice: { idempotencyKey: 'order-7' } });
  await harness.clock.advance(60_000);
  expect(harness.provider.times).toEqual([0, 1000, 3000, 7000]);
  expect(going.told).toBe('ECONNRESET attempts-exhausted');
  const late = new Harness({
    script: 'reset x3',
    options: { idempotency: { retention: '5s' }, timeouts: { attempt: '1s', total: '1d' } },
  });
  const unknown = late.go('POST', { sluice: { idempotencyKey: 'order-7' } });
  await late.clock.advance(60_000);
  expect(late.provider.times).toEqual([0, 1000, 3000]);
  expect(unknown.told).toBe('OUTCOME_UNKNOWN unsafe');
  expect(late.ofType('outcome-unknown')).toHaveLength(1);
  expect(late.double.asks.map(({ deadlineMono }) => deadlineMono)).toEqual([86_400_000, 5000, 5000]);
  await late.expectNothingLeft();
});

test('a key travels in a field of the body where the contract says so', async () => {
  const harness = new Harness({ options: { idempotency: { bodyField: 'requestId' } } });
  const fields: unknown[] = [];
  await harness.call('POST', { sluice: { idempotencyKey: 'k' } }).attempt((context) => {
    fields.push(context.bodyFields, context.headers);
    return Promise.resolve({ type: 'answered', status: 200, headers: {}, value: 1 });
  });
  expect(fields).toEqual([{ requestId: 'k' }, expect.anything()]);
  await harness.expectNothingLeft();
});

test('a key that the caller has put into the header himself is the one that counts', async () => {
  const harness = new Harness({ script: '503, 200', options: { idempotency } });
  const request = { method: 'POST', path: '/', query: {}, headers: { 'x-key': 'own' }, body: undefined, route: null };
  const going = harness.go('POST', { request });
  await harness.clock.advance(60_000);
  expect(going.told).toBe('200');
  expect(harness.provider.log.map(({ headers }) => headers)).toEqual(Array(2).fill({ 'X-Key': 'own' }));
  await harness.expectNothingLeft();
});

test('without keys on the side of the provider a key makes nothing repeatable', async () => {
  const harness = new Harness({ script: '503' });
  const going = harness.go('POST', { sluice: { idempotencyKey: 'k' } });
  await harness.clock.advance(60_000);
  expect([going.told, harness.provider.log[0]?.headers]).toEqual(['503 unsafe', {}]);
  await harness.expectNothingLeft();
});

test('the requests of an operation have keys of their own, the same when it is run again', async () => {
  const harness = new Harness({ script: '200 x6', options: { idempotency } });
  const run = async (): Promise<void> => {
    const operation = operationOf('scope', 'timesheet-7');
    await enterMethod({ provider: 'crm', clock: harness.clock, operation }, async () => {
      await harness.go('POST').done;
      await harness.go('GET').done;
      await harness.go('POST').done;
    });
  };
  await run();
  await run();
  const keys = harness.provider.log.map(({ headers }) => headers['X-Key']);
  expect(keys.slice(0, 3)).toEqual(keys.slice(3));
  expect(keys[1]).toBeUndefined();
  expect(keys[0]).not.toBe(keys[2]);
  expect(keys.join()).not.toContain('timesheet');
  await harness.expectNothingLeft();
});

test('an operation knows which of its writes have left without a known outcome', async () => {
  const harness = new Harness({ script: 'slow(100) 200, reset' });
  const operation = operationOf('scope', 'k');
  const start = (): Going =>
    enterMethod({ provider: 'crm', clock: harness.clock, operation }, () => harness.go('POST'));
  start();
  await harness.clock.advance(50);
  expect(operation.unsettled?.size).toBe(1);
  await harness.clock.advance(50);
  expect(operation.unsettled?.size).toBe(0);
  expect(await start().done).toMatchObject({ outcome: 'unknown' });
  expect(operation.unsettled?.size).toBe(1);
  await harness.expectNothingLeft();
});

test('a body that can be read once only is never sent again', async () => {
  const harness = new Harness({ script: '503, 429, 401', options: { auth: { credentials: () => ({ headers: {} }) } } });
  for (const told of ['503 unsafe', '429 unsafe', '401 auth']) {
    const going = harness.go('GET', { resendable: false });
    await harness.clock.advance(60_000);
    expect(going.told).toBe(told);
  }
  expect(harness.provider.log).toHaveLength(3);
  await harness.expectNothingLeft();
});
