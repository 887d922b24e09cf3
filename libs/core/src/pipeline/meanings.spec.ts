import type { ProviderOptions } from '../contract/options.js';
import { memoryGate } from '../gate/memory/memory-gate.js';
import { Going, Harness } from './harness.fixture.js';
import { answered } from './scripted-provider.fixture.js';

const gated = (script: string, options: Partial<ProviderOptions> = {}): Harness =>
  new Harness({ script, options, gate: memoryGate() });

const idempotency = { header: 'X-Key' };
const keyed = { sluice: { idempotencyKey: 'order-7' } };

test('a 403 that the contract calls a limit pauses all calls, is no failure, and goes again for a write too', async () => {
  const harness = gated('403(retry-after: 5), 200, 200', {
    statuses: { 403: 'limited' },
    breaker: { consecutiveFailures: 1, probeEvery: '1h' },
  });
  const write = harness.go('POST', { name: 'write' });
  await harness.clock.advance(1000);
  const read = harness.go('GET', { name: 'read' });
  await harness.clock.advance(60_000);
  expect([write.told, read.told]).toEqual(['200', '200']);
  expect(harness.provider.times.slice(0, 2)).toEqual([0, 5000]);
  expect(harness.provider.times[2]).toBeGreaterThanOrEqual(5000);
  expect(harness.ofType('attempt-ended').map(({ outcome }) => outcome)).toEqual(['limited', 'succeeded', 'succeeded']);
  await harness.expectNothingLeft();
});

test('case 102: refusals under another status than 429 trip no breaker either', async () => {
  const harness = gated('420(retry-after: 1) x20, 200', {
    statuses: { 420: 'limited' },
    retry: { throttled: { maxAttempts: 30 }, maxDelay: '1s' },
    breaker: { consecutiveFailures: 5, probeEvery: '1h' },
  });
  const going = harness.go();
  await harness.clock.advance(86_400_000 / 2);
  expect(going.told).toBe('200');
  expect(harness.provider.log).toHaveLength(21);
  expect(harness.ofType('breaker')).toEqual([]);
  await harness.expectNothingLeft();
});

const throttled: Partial<ProviderOptions> = {
  reading: {
    cost: { body: 'cost' },
    windows: [{ unit: 'points', remaining: { body: 'available' }, perSecond: { body: 'restore' } }],
  },
  classify: ({ status, body }) =>
    status === 200 && (body as { code?: string } | null)?.code === 'THROTTLED' ? 'limited' : undefined,
};

/** A sender that answers with these bodies, and writes down when it was asked. */
function speaking(harness: Harness, ...bodies: unknown[]) {
  const times: number[] = [];
  const going = new Going(harness, harness.call('POST'), () => {
    times.push(Math.round(harness.clock.monoMs()));
    return Promise.resolve(answered({ status: 200, body: bodies.shift() }));
  });
  return { going, times };
}

test('case 29: a 200 that a classify by the body calls throttled is waited out, and is no success for the breaker', async () => {
  const harness = new Harness({ options: throttled });
  const { going, times } = speaking(
    harness,
    JSON.stringify({ code: 'THROTTLED', available: 0, restore: 50, cost: 100 }),
    '{}',
  );
  await harness.clock.advance(60_000);
  expect(times).toEqual([0, 2000]);
  expect(going.told).toBe('200');
  expect(harness.double.settled.map(({ settlement }) => [settlement.health, settlement.refusal?.waitMs])).toEqual([
    ['none', 2000],
    ['alive', undefined],
  ]);
  await harness.expectNothingLeft();

  const twin = new Harness({ options: throttled });
  const text = speaking(twin, { message: 'the word THROTTLED, in the words of a user' });
  await twin.clock.advance(60_000);
  expect([text.times, text.going.told]).toEqual([[0], '200']);
  await twin.expectNothingLeft();
});

test('a key in use is waited out by a keyed write, uncharged to the budget, and pauses nobody', async () => {
  const harness = gated('reset, 409(retry-after: 2), 200, 200', {
    idempotency,
    statuses: { 409: 'key-in-use' },
    retry: { maxAttempts: 2, budget: { ratio: 0, floor: 1 } },
  });
  const write = harness.go('POST', { ...keyed, name: 'write' });
  await harness.clock.advance(1500);
  const read = harness.go('GET', { name: 'read' });
  await harness.clock.advance(60_000);
  expect([write.told, read.told]).toEqual(['200', '200']);
  expect(harness.provider.log.map(({ name }) => name)).toEqual(['write', 'write', 'read', 'write']);
  expect(harness.provider.times).toEqual([0, 1000, 1500, 3000]);
  expect(
    new Set(harness.provider.log.filter(({ name }) => name === 'write').map(({ headers }) => headers['X-Key'])),
  ).toEqual(new Set(['order-7']));
  await harness.expectNothingLeft();
});

test('what is locked goes again after its wait, a bare write too, uncharged to the budget, and pauses nobody', async () => {
  const harness = gated('423(retry-after: 2), 200, 200', {
    statuses: { 423: 'locked' },
    retry: { budget: { ratio: 0, floor: 1 } },
  });
  const write = harness.go('POST', { name: 'write' });
  await harness.clock.advance(1000);
  const read = harness.go('GET', { name: 'read' });
  await harness.clock.advance(60_000);
  expect([write.told, read.told]).toEqual(['200', '200']);
  expect(harness.provider.log.map(({ name }) => name)).toEqual(['write', 'read', 'write']);
  expect(harness.provider.times).toEqual([0, 1000, 2000]);
  await harness.expectNothingLeft();
});

test('a key in use is none for a write without a key, nor for a read: they are over', async () => {
  const harness = new Harness({ script: '409, 409', options: { idempotency, statuses: { 409: 'key-in-use' } } });
  for (const method of ['POST', 'GET']) {
    const going = harness.go(method);
    await harness.clock.advance(60_000);
    expect([going.told, going.end?.outcome]).toEqual(['409 permanent', 'rejected']);
  }
  await harness.expectNothingLeft();
});

test('a key that stays in use ends with the tries for refusals, and with the answer that came', async () => {
  const harness = new Harness({ script: '409 x4', options: { idempotency, statuses: { 409: 'key-in-use' } } });
  const going = harness.go('POST', keyed);
  await harness.clock.advance(60_000);
  expect(going.told).toBe('409 attempts-exhausted');
  expect(harness.provider.times).toEqual([0, 1000, 3000, 7000]);
  await harness.expectNothingLeft();
});

test('a 503 pauses all calls where the contract calls it an overload, and only then', async () => {
  for (const [statuses, secondAt] of [
    [{ 503: 'overloaded' } as const, 10_000],
    [{}, 1000],
  ] as const) {
    const harness = gated('503(retry-after: 10), 200, 200', { statuses });
    const first = harness.go('GET', { name: 'first' });
    await harness.clock.advance(1000);
    const second = harness.go('GET', { name: 'second' });
    await harness.clock.advance(60_000);
    expect([first.told, second.told]).toEqual(['200', '200']);
    const { t } = harness.provider.log.find(({ name }) => name === 'second')!;
    expect(Math.round(t)).toBeGreaterThanOrEqual(secondAt);
    expect(Math.round(t)).toBeLessThan(secondAt + 1000);
    await harness.expectNothingLeft();
  }
});

test('law 7: an overload pauses, but a bare write that met it may have run and is not sent again', async () => {
  const harness = gated('503(retry-after: 10), 200', { statuses: { 503: 'overloaded' } });
  const write = harness.go('POST', { name: 'write' });
  await harness.clock.advance(1000);
  expect([write.told, write.end?.outcome]).toEqual(['503 unsafe', 'unknown']);
  const read = harness.go('GET', { name: 'read' });
  await harness.clock.advance(60_000);
  expect(read.told).toBe('200');
  expect(harness.provider.log.map(({ name }) => name)).toEqual(['write', 'read']);
  expect(harness.provider.times[1]).toBeGreaterThanOrEqual(10_000);
  await harness.expectNothingLeft();
});

test('an answer that looks good and is called a failure is retried where that is safe, and the breaker hears of it', async () => {
  const harness = new Harness({ script: '200, 200, 200', options: { classify: failsFirst() } });
  const read = harness.go();
  await harness.clock.advance(60_000);
  expect([read.told, harness.provider.times]).toEqual(['200', [0, 1000]]);
  expect(harness.double.settled.map(({ settlement }) => settlement.health)).toEqual(['failure', 'alive']);
  await harness.expectNothingLeft();

  const bare = new Harness({ script: '200', options: { classify: failsFirst() } });
  const write = bare.go('POST');
  await bare.clock.advance(60_000);
  expect([write.told, write.end?.outcome, bare.provider.times]).toEqual(['200 unsafe', 'unknown', [0]]);
  await bare.expectNothingLeft();
});

function failsFirst(): NonNullable<ProviderOptions['classify']> {
  let asked = 0;
  return () => ((asked += 1) === 1 ? 'failed' : undefined);
}

test('a 409 that is called a failure is retried by keyed writes and reads only, and is none for the breaker', async () => {
  const statuses = { 409: 'failed' } as const;
  for (const [method, spec, told] of [
    ['GET', {}, '200'],
    ['POST', keyed, '200'],
    ['POST', {}, '409 unsafe'],
  ] as const) {
    const harness = new Harness({ script: '409, 200', options: { statuses, idempotency } });
    const going = harness.go(method, spec);
    await harness.clock.advance(60_000);
    expect(going.told).toBe(told);
    expect(harness.double.settled[0]?.settlement).toMatchObject({ health: 'alive', refusal: null });
    await harness.expectNothingLeft();
  }
});

test('an error status that is called a success is delivered, and nothing is wrong with it', async () => {
  const harness = new Harness({ script: '404', options: { statuses: { 404: 'succeeded' } } });
  const going = harness.go('DELETE');
  await harness.clock.advance(0);
  expect(going.told).toBe('404');
  expect(going.end).toMatchObject({ decision: 'deliver', outcome: 'succeeded', reason: null });
  await harness.expectNothingLeft();
});

test('a 429 or 503 that is called final is neither repeated nor a pause', async () => {
  const harness = gated('429(retry-after: 5), 503, 200', { statuses: { 429: 'rejected', 503: 'rejected' } });
  const told: string[] = [];
  for (let index = 0; index < 3; index += 1) {
    const going = harness.go();
    await harness.clock.advance(100);
    told.push(going.told);
  }
  expect(told).toEqual(['429 permanent', '503 permanent', '200']);
  await harness.expectNothingLeft();
});

test('a 403 that is about credentials gets new ones, once', async () => {
  let issued = 0;
  const harness = new Harness({
    script: '403, 200',
    options: {
      statuses: { 403: 'unauthorized' },
      auth: { credentials: () => ({ headers: { authorization: `token ${(issued += 1)}` } }) },
    },
  });
  const going = harness.go('POST');
  await harness.clock.advance(60_000);
  expect(going.told).toBe('200');
  expect(harness.provider.log.map(({ headers }) => headers['authorization'])).toEqual(['token 1', 'token 2']);
  await harness.expectNothingLeft();
});

test('law 13: a classify that throws is reported, and the call goes on as the status says', async () => {
  const harness = new Harness({
    script: '503, 200',
    options: {
      classify: () => {
        throw new Error('s-secret of the answer');
      },
    },
  });
  const going = harness.go();
  await harness.clock.advance(60_000);
  expect([going.told, harness.provider.times]).toEqual(['200', [0, 1000]]);
  expect(harness.ofType('hook-failed').map(({ hook }) => hook)).toEqual(['classify', 'classify']);
  expect(JSON.stringify(harness.events)).not.toContain('s-secret');
  await harness.expectNothingLeft();
});

test('classify is told of the request, and asked once for each attempt', async () => {
  const asked: unknown[] = [];
  const harness = new Harness({
    script: '503, 200',
    options: {
      routes: { things: 'GET /things' },
      classify: ({ status, request }) => void asked.push([status, request.method, request.route]),
    },
  });
  harness.go();
  await harness.clock.advance(60_000);
  expect(asked).toEqual([
    [503, 'GET', 'things'],
    [200, 'GET', 'things'],
  ]);
  await harness.expectNothingLeft();
});

test('an observed call is judged by the contract’s meanings, and changed by none', async () => {
  const harness = new Harness({ script: '403', options: { mode: 'observe', statuses: { 403: 'limited' } } });
  const going = harness.go();
  await harness.clock.advance(60_000);
  expect(going.told).toBe('403');
  expect(harness.ofType('attempt-ended')).toMatchObject([{ outcome: 'limited' }]);
  expect(harness.double.settled).toMatchObject([{ settlement: { refusal: { limitName: null } } }]);
  await harness.expectNothingLeft();
});
