import type { ProviderOptions } from '../contract/options.js';
import { memoryGate } from '../gate/memory/memory-gate.js';
import { Harness } from './harness.fixture.js';
import { answered } from './scripted-provider.fixture.js';

const gated = (script: string, options: Partial<ProviderOptions> = {}): Harness =>
  new Harness({ script, options, gate: memoryGate() });

const breaker = { consecutiveFailures: 5, probeEvery: '60s' } as const;
const noRetry = { maxAttempts: 1 } as const;

test('cases 1 and 2: pause and backoff coincide, so a bad hint costs nothing more', async () => {
  for (const script of [
    '429(retry-after: soon), 429(retry-after: Wed, 99 Foo), 429(retry-after:), 200',
    '429(retry-after: 0) x3, 200',
  ]) {
    const harness = gated(script);
    const going = harness.go();
    await harness.clock.advance(60_000);
    expect(going.told).toBe('200');
    expect(harness.provider.times).toEqual([0, 1000, 3000, 7000]);
    await harness.expectNothingLeft();
  }
});

test('a pause that is longer than anyone here may wait ends the call with the answer that came, and the next unsent', async () => {
  const harness = gated('429', { pause: { initial: '30m' } });
  const going = harness.go();
  await harness.clock.advance(1000);
  expect(going.told).toBe('429 PAUSED paused');
  const next = harness.go('GET', { sluice: { deadline: '1m' } });
  await harness.clock.advance(0);
  expect(next.told).toMatch(/^(PAUSED paused|DEADLINE_UNREACHABLE deadline)$/);
  expect(harness.provider.log).toHaveLength(1);
  await harness.expectNothingLeft();
});

test('case 30: a cost that is not declared is never 0, and is corrected once to what the answer tells', async () => {
  const harness = gated('200(x-cost: 10) x6', {
    limits: [{ kind: 'token-bucket', unit: 'points', burst: 40, limit: 2, per: '1s' }],
    defaultUnits: { points: 10 },
    reading: { cost: 'x-cost' },
  });
  for (let i = 0; i < 5; i += 1) harness.go();
  await harness.clock.advance(4999);
  expect(harness.provider.times).toEqual([0, 0, 0, 0]);
  await harness.clock.advance(1);
  expect(harness.provider.times).toEqual([0, 0, 0, 0, 5000]);
  await harness.expectNothingLeft();
});

test('a cost that was higher than declared slows the next one down', async () => {
  const harness = gated('200(x-cost: 10) x6', {
    limits: [{ kind: 'token-bucket', unit: 'points', burst: 40, limit: 2, per: '1s' }],
    reading: { cost: 'x-cost' },
  });
  for (let i = 0; i < 5; i += 1) {
    harness.go();
    await harness.clock.advance(0);
  }
  await harness.clock.advance(60_000);
  expect(harness.provider.times).toEqual([0, 0, 0, 0, 500]);
  await harness.expectNothingLeft();
});

test('case 29: a 200 that means throttled is waited for and repeated, and is no success to the breaker', async () => {
  const harness = gated('', {
    breaker,
    limits: [{ kind: 'concurrency', limit: 10 }],
    reading: { rules: [{ when: { body: { 'errors[].extensions.code': 'THROTTLED' } }, limited: true, waitMs: 2000 }] },
  });
  const times: number[] = [];
  const bodies = [{ errors: [{ extensions: { code: 'THROTTLED' } }] }, { data: { text: 'THROTTLED' } }];
  const call = harness.call();
  const send = () => {
    times.push(harness.clock.monoMs());
    return Promise.resolve({ ...answered({ status: 200 }), body: bodies.shift() } as never);
  };
  expect(await call.attempt(send)).toMatchObject({ decision: 'retry', outcome: 'limited' });
  const slept = call.backoff();
  await harness.clock.advance(2000);
  await slept;
  expect(await call.attempt(send)).toMatchObject({ decision: 'deliver', outcome: 'succeeded', reason: null });
  expect(times).toEqual([0, 2000]);
  await harness.expectNothingLeft();
});

test('case 95: of two hundred calls in the moment a breaker may be probed one is sent', async () => {
  const harness = gated('503 x5, slow(50) 200, 200...', { breaker, retry: noRetry });
  for (let i = 0; i < 5; i += 1) await harness.go().done;
  await harness.clock.advance(60_000);
  const flood = Array.from({ length: 200 }, () => harness.go());
  await harness.clock.advance(0);
  expect(harness.provider.log).toHaveLength(6);
  expect(flood.filter(({ told }) => told === 'CIRCUIT_OPEN circuit-open')).toHaveLength(199);
  await harness.clock.advance(50);
  expect(await harness.go().done).toMatchObject({ decision: 'deliver', outcome: 'succeeded' });
  await harness.expectNothingLeft();
});

test('case 94: a probe that fails opens the breaker again, and the next one comes', async () => {
  const harness = gated('503 x5, 503, 200', { breaker, retry: noRetry });
  for (let i = 0; i < 5; i += 1) await harness.go().done;
  expect((await (async () => (await harness.go().done) as { error: unknown })()).error).toMatchObject({
    code: 'CIRCUIT_OPEN',
  });
  await harness.clock.advance(60_000);
  expect(await harness.go().done).toMatchObject({ decision: 'deliver', outcome: 'failed' });
  expect(await harness.go().done).toMatchObject({ error: { code: 'CIRCUIT_OPEN' } });
  await harness.clock.advance(60_000);
  expect(await harness.go().done).toMatchObject({ outcome: 'succeeded' });
  await harness.expectNothingLeft();
});

test('case 97: every failure on the wire counts, so the breaker opens within a call and stops its retries', async () => {
  const harness = gated('503...', { breaker, retry: { maxAttempts: 3 } });
  const first = harness.go();
  await harness.clock.advance(10_000);
  const second = harness.go();
  await harness.clock.advance(10_000);
  expect([first.told, second.told]).toEqual(['503 attempts-exhausted', '503 CIRCUIT_OPEN circuit-open']);
  expect(harness.provider.log).toHaveLength(5);
  await harness.expectNothingLeft();
});

test('case 98: whether a breaker may be probed is decided when a call comes, by the monotonic clock', async () => {
  const harness = gated('503 x5, 200', { breaker, retry: noRetry });
  for (let i = 0; i < 5; i += 1) await harness.go().done;
  harness.clock.stepWall(86_400_000);
  expect(await harness.go().done).toMatchObject({ error: { code: 'CIRCUIT_OPEN' } });
  await harness.clock.advance(60_000);
  expect(await harness.go().done).toMatchObject({ outcome: 'succeeded' });
  await harness.expectNothingLeft();
});

test('case 99: looking at the state uses no probe up', async () => {
  const harness = gated('503 x5, 200', { breaker, retry: noRetry });
  for (let i = 0; i < 5; i += 1) await harness.go().done;
  await harness.clock.advance(60_000);
  for (let i = 0; i < 100; i += 1) await harness.runtime.admission.inspect();
  expect(await harness.go().done).toMatchObject({ outcome: 'succeeded' });
  await harness.expectNothingLeft();
});

test('case 96: a failure of before the breaker closed does not open it again alone', async () => {
  const harness = gated('slow(150000) 503, 503 x5, 200, 200', { breaker, retry: noRetry });
  const late = harness.go();
  for (let i = 0; i < 5; i += 1) await harness.go().done;
  await harness.clock.advance(60_000);
  expect(await harness.go().done).toMatchObject({ outcome: 'succeeded' });
  await harness.clock.advance(90_000);
  expect(late.told).toBe('503 attempts-exhausted');
  expect(await harness.go().done).toMatchObject({ outcome: 'succeeded' });
  await harness.expectNothingLeft();
});

test("case 101: our callers' aborts open no breaker; our timeouts do", async () => {
  const harness = gated('slow(100) 200 x10, 200, hang x5', {
    breaker,
    retry: noRetry,
    guard: '100ms',
    timeouts: { attempt: '1s', total: '1d' },
  });
  for (let i = 0; i < 10; i += 1) {
    const controller = new AbortController();
    harness.go('GET', { signal: controller.signal });
    await harness.clock.advance(50);
    controller.abort();
    await harness.clock.advance(0);
  }
  expect(await harness.go().done).toMatchObject({ outcome: 'succeeded' });
  for (let i = 0; i < 5; i += 1) harness.go();
  await harness.clock.advance(1000);
  expect(await harness.go().done).toMatchObject({ error: { code: 'CIRCUIT_OPEN' } });
  await harness.expectNothingLeft();
});

test('case 102: refusals for a limit open no breaker', async () => {
  const retry = { throttled: { maxAttempts: 21 }, maxDelay: '1s' } as const;
  const harness = gated('429(retry-after: 1) x20, 200', { breaker, retry });
  const going = harness.go();
  await harness.clock.advance(3_600_000);
  expect(going.told).toBe('200');
  expect(harness.provider.times).toEqual(Array.from({ length: 21 }, (_, index) => index * 1000));
  expect(harness.ofType('breaker')).toEqual([]);
  await harness.expectNothingLeft();
});

test('case 154: refusals of ours, full queues and aborts are outcomes of their own, and no failures of the provider', async () => {
  const harness = gated('hang, 200', {
    breaker: { consecutiveFailures: 1 },
    limits: [{ kind: 'concurrency', limit: 1 }],
    queue: { maxSize: 1, maxWait: '1s' },
  });
  const controller = new AbortController();
  harness.go('GET', { signal: controller.signal });
  const waiting = harness.go();
  const full = Array.from({ length: 5 }, () => harness.go());
  await harness.clock.advance(1000);
  expect([waiting.told, ...full.map(({ told }) => told)]).toEqual([
    'QUEUE_WAIT_EXCEEDED queue',
    ...Array(5).fill('QUEUE_FULL queue'),
  ]);
  controller.abort();
  await harness.clock.advance(0);
  expect(
    harness
      .ofType('call-ended')
      .map(({ outcome }) => outcome)
      .sort(),
  ).toEqual(['cancelled', ...Array(6).fill('refused')]);
  expect(await harness.go().done).toMatchObject({ outcome: 'succeeded' });
  expect(harness.ofType('breaker')).toEqual([]);
  await harness.expectNothingLeft();
});

test('case 32: each start of a run that is limited beyond its patience ends with the moment to come again', async () => {
  const harness = gated('429(retry-after: 600), 200');
  const first = harness.go();
  await harness.clock.advance(0);
  expect(first.told).toBe('429 wait-too-long');
  const early = harness.go('GET', { sluice: { deadline: '1m' } });
  await harness.clock.advance(0);
  expect(early.end).toMatchObject({
    decision: 'raise',
    outcome: 'refused',
    retryAt: (first.end as { retryAt: Date }).retryAt,
  });
  await harness.clock.advance(600_000);
  expect(await harness.go().done).toMatchObject({ outcome: 'succeeded' });
  expect(harness.provider.times).toEqual([0, 600_000]);
  await harness.expectNothingLeft();
});

test('law 9: retries after failures fit the budget, and what it has no place for fails fast', async () => {
  const harness = gated('503...', { retry: { maxAttempts: 5, maxDelay: '1s', budget: { ratio: 0.1, floor: 1 } } });
  for (let minute = 0; minute < 3; minute += 1) {
    for (let i = 0; i < 30; i += 1) {
      harness.go();
      await harness.clock.advance(2000);
    }
  }
  await harness.clock.advance(60_000);
  const firsts = harness.ofType('attempt-started').filter(({ kind }) => kind === 'first').length;
  expect(firsts).toBe(90);
  expect(harness.provider.log.length - firsts).toBeLessThanOrEqual(10);
  expect(harness.provider.log.length - firsts).toBeGreaterThanOrEqual(3);
  await harness.expectNothingLeft();
});
