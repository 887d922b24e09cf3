import { Harness } from './harness.fixture.js';

async function played(
  script: string,
  advanceMs = 3_600_000,
  method = 'GET',
  options = {},
): Promise<Harness & { told: string }> {
  const harness = new Harness({ script, options });
  const going = harness.go(method);
  await harness.clock.advance(advanceMs);
  await harness.expectNothingLeft();
  return Object.assign(harness, { told: going.told });
}

test('case 1: an unreadable Retry-After is no hint, and the own backoff goes on', async () => {
  const { provider, told } = await played(
    '429(retry-after: soon), 429(retry-after: Wed, 99 Foo), 429(retry-after:), 200',
  );
  expect(provider.times).toEqual([0, 1000, 3000, 7000]);
  expect(told).toBe('200');
});

test('case 2: a zero or past Retry-After does not switch the backoff off, and the exponent grows on', async () => {
  const zero = await played('429(retry-after: 0) x3, 200');
  expect(zero.provider.times).toEqual([0, 1000, 3000, 7000]);
  expect(zero.told).toBe('200');
  const past = await played('429(retry-after: Wed, 31 Dec 2025 23:59:58 GMT) x3, 200');
  expect(past.provider.times).toEqual([0, 1000, 3000, 7000]);
});

test('case 3: a delay of zero means at once, not never', async () => {
  const { provider, told } = await played('503, 200', 1000, 'GET', { retry: { baseDelay: 0 } });
  expect(provider.times).toEqual([0, 0]);
  expect(told).toBe('200');
});

test('case 4: a negative Retry-After is no hint', async () => {
  const { provider, told } = await played('503(retry-after: -1), 503(retry-after-ms: -250), 200');
  expect(provider.times).toEqual([0, 1000, 3000]);
  expect(told).toBe('200');
});

test('case 10: a 429 without a hint is repeated after the own backoff, and told without a retryAt when tries are over', async () => {
  const again = await played('429, 200');
  expect(again.provider.times).toEqual([0, 1000]);
  expect(again.told).toBe('200');
  const harness = new Harness({ script: '429', options: { retry: { throttled: { maxAttempts: 1 } } } });
  const end = await harness.go().done;
  expect(end).toMatchObject({
    decision: 'deliver',
    reason: 'attempts-exhausted',
    retryAt: null,
    result: { status: 429 },
  });
  await harness.expectNothingLeft();
});

test('case 11: a hint of 3.2 days is refused at once with its moment, and nothing waits', async () => {
  const harness = new Harness({ script: '429(retry-after: 277403)' });
  const going = harness.go('GET', { sluice: { deadline: '10s' } });
  await harness.clock.advance(0);
  expect(going.told).toBe('429 wait-too-long');
  expect(going.end).toMatchObject({ retryAt: new Date(harness.clock.wallMs() + 277_403_000) });
  await harness.expectNothingLeft();
});

test('case 15: of seconds and milliseconds the finer one is waited for', async () => {
  const reading = { waits: [{ from: 'retry-after-ms', as: 'milliseconds' }, 'retry-after'] } as const;
  const { provider } = await played('429(retry-after-ms: 1500; retry-after: 2), 200', 5000, 'GET', { reading });
  expect(provider.times).toEqual([0, 1500]);
});

test('case 16: attempts end, and two calls of one frozen options object each have their own', async () => {
  const options = Object.freeze({});
  const harness = new Harness({ script: '503...' });
  const [a, b] = [harness.go('GET', { sluice: options, name: 'a' }), harness.go('GET', { sluice: options, name: 'b' })];
  await harness.clock.advance(3_600_000);
  expect([a.told, b.told]).toEqual(['503 attempts-exhausted', '503 attempts-exhausted']);
  expect(harness.provider.log.filter(({ name }) => name === 'a')).toHaveLength(4);
  expect(harness.provider.log.filter(({ name }) => name === 'b')).toHaveLength(4);
  await harness.expectNothingLeft();
});

test('case 17: two calls that wait at the same time each count their own attempts', async () => {
  const harness = new Harness({ script: '429(retry-after: 1) x2, 200 x2' });
  const [a, b] = [harness.go('GET', { name: 'a' }), harness.go('GET', { name: 'b' })];
  await harness.clock.advance(5000);
  expect([a.told, b.told]).toEqual(['200', '200']);
  expect(harness.provider.log.map(({ name, number }) => `${name}${number}`)).toEqual(['a1', 'b1', 'a2', 'b2']);
  await harness.expectNothingLeft();
});

test('case 18: a call that has used up its tries leaves the next call all of its own', async () => {
  const harness = new Harness({ script: '503 x4, 503, 200' });
  const first = harness.go();
  await harness.clock.advance(60_000);
  const second = harness.go();
  await harness.clock.advance(60_000);
  expect([first.told, second.told]).toEqual(['503 attempts-exhausted', '200']);
  expect(harness.provider.log).toHaveLength(6);
  await harness.expectNothingLeft();
});

test('case 23: the last try gets no more than what is left of the deadline', async () => {
  const harness = new Harness({
    script: 'slow(600) 503, slow(5000) 200',
    options: { retry: { baseDelay: 300 }, timeouts: { total: '1d', attempt: 1000 } },
  });
  const going = harness.go('GET', { sluice: { deadline: 1000 } });
  await harness.clock.advance(2000);
  expect(harness.provider.times).toEqual([0, 900]);
  expect(going.told).toBe('503 DEADLINE_EXCEEDED deadline');
  expect(going.endedAt).toBe(1000);
  await harness.expectNothingLeft();
});

test('case 23: a backoff that would pass the deadline is not begun', async () => {
  const harness = new Harness({ script: 'slow(600) 503' });
  const going = harness.go('GET', { sluice: { deadline: 1000 } });
  await harness.clock.advance(600);
  expect(going.told).toBe('503 deadline');
  await harness.expectNothingLeft();
});

test('case 26: a wait of half an hour is refused at once, and other calls go on', async () => {
  const harness = new Harness({ script: '429(retry-after: 1800) x4, 200' });
  const jobs = [1, 2, 3, 4].map(() => harness.go());
  await harness.clock.advance(0);
  const fifth = harness.go();
  await harness.clock.advance(0);
  expect([...jobs, fifth].map(({ told }) => told)).toEqual([...Array(4).fill('429 wait-too-long'), '200']);
  await harness.expectNothingLeft();
});

test('case 31: a 403 that is about permission is sent once, and says nothing against the provider', async () => {
  const harness = new Harness({ script: '403' });
  const going = harness.go();
  await harness.clock.advance(60_000);
  expect(going.told).toBe('403 permanent');
  expect(harness.double.settled.map(({ settlement }) => settlement.health)).toEqual(['alive']);
  await harness.expectNothingLeft();
});

test('case 129: an error that is not retried reaches the caller', async () => {
  const { provider, told } = await played('500', 60_000, 'GET', { retry: { maxAttempts: 1 } });
  expect(provider.times).toEqual([0]);
  expect(told).toBe('500 attempts-exhausted');
});

test('case 153: the wait that is told is the wait that follows', async () => {
  const harness = new Harness({ script: '429(retry-after: 51), 503, 200', options: { retry: { jitter: 'full' } } });
  const going = harness.go();
  await harness.clock.advance(200_000);
  expect(going.told).toBe('200');
  const waits = harness.ofType('decision').filter(({ decision }) => decision === 'retry');
  expect(waits.map(({ waitReason }) => waitReason)).toEqual(['retry-after', 'backoff']);
  const [a, b, c] = harness.provider.log.map(({ t }) => t) as [number, number, number];
  expect(waits[0]!.waitMs).toBeCloseTo(b - a, 6);
  expect(waits[1]!.waitMs).toBeCloseTo(c - b, 6);
  expect(b - a).toBeGreaterThanOrEqual(51_000);
  await harness.expectNothingLeft();
});

test('case 159: an unkeyed write whose 503 may come from a proxy is sent once; one that was refused is repeated', async () => {
  const once = new Harness({ script: '503' });
  const going = once.go('POST');
  await once.clock.advance(60_000);
  expect(going.told).toBe('503 unsafe');
  expect(going.end).toMatchObject({ outcome: 'unknown' });
  expect(once.ofType('outcome-unknown')).toHaveLength(1);
  await once.expectNothingLeft();
  const { provider, told } = await played('429, 200', 60_000, 'POST');
  expect(provider.times).toHaveLength(2);
  expect(told).toBe('200');
});

test('case 160: failures do not eat the goes that are meant for refusals', async () => {
  const options = { retry: { maxAttempts: 3, throttled: { maxAttempts: 6 } } };
  const { provider, told } = await played('502, 502, 429(retry-after: 1) x2, 200', 3_600_000, 'GET', options);
  expect(provider.log).toHaveLength(5);
  expect(told).toBe('200');
});

test('a failure before a byte left is retried for a bare write too', async () => {
  const { provider, told } = await played('refused, 200', 60_000, 'POST');
  expect(provider.times).toEqual([1000]);
  expect(told).toBe('200');
});

test('a bare write that got no answer is not sent again: its outcome is unknown', async () => {
  const harness = new Harness({ script: 'reset' });
  const going = harness.go('POST');
  await harness.clock.advance(60_000);
  expect(going.told).toBe('OUTCOME_UNKNOWN unsafe');
  expect(going.end).toMatchObject({ outcome: 'unknown', error: { attempts: 1, provider: 'crm' } });
  expect(harness.ofType('outcome-unknown')).toHaveLength(1);
  await harness.expectNothingLeft();
});

test('a spent retry budget fails fast, with the answer that came', async () => {
  const harness = new Harness({ script: '503', options: { retry: { budget: { ratio: 0.1 } } } });
  harness.double.places = 0;
  const going = harness.go();
  await harness.clock.advance(0);
  expect(going.told).toBe('503 budget-exhausted');
  await harness.expectNothingLeft();
});

test('law 10: a refusal for a limit is neither a sign of life nor a failure', async () => {
  const harness = new Harness({ script: '429(retry-after: 5), 503, 404' });
  harness.go();
  await harness.clock.advance(60_000);
  expect(harness.double.settled.map(({ settlement }) => settlement.health)).toEqual(['none', 'failure', 'alive']);
  expect(harness.double.settled.map(({ settlement }) => settlement.refusal?.waitMs)).toEqual([
    5000,
    undefined,
    undefined,
  ]);
  await harness.expectNothingLeft();
});
