import type { Behaviour } from 'nestjs-sluice/testing';
import { answer } from 'nestjs-sluice/testing';
import { SluiceError } from 'nestjs-sluice';
import { closeWorlds, type Setup, type FaultWorld, type Sent, world } from './faults.fixture.js';

afterEach(closeWorlds);

/** One GET, an hour, and the check of what is left. */
async function oneGet(setup: Setup, advanceMs = 3_600_000): Promise<FaultWorld & { get: Sent }> {
  const opened = await world(setup);
  const get = opened.call();
  await opened.clock.advance(advanceMs);
  await opened.leavesNothing();
  return Object.assign(opened, { get });
}

test('case 1: an unreadable Retry-After is no hint; the own backoff goes on', async () => {
  const { log, get } = await oneGet({
    s: '429(retry-after: soon), 429(retry-after: Wed, 99 Foo), 429(retry-after: ), 200',
  });
  expect(log).toEqual([0, 1000, 3000, 7000]);
  expect(get.told).toBe('200');
});

test.each([
  ['a zero', '0'],
  ['a date that has passed', 'Wed, 31 Dec 2025 23:59:58 GMT'],
])('case 2: %s does not switch the backoff off, and its exponent grows', async (_what, hint) => {
  const { log, get } = await oneGet({ s: `429(retry-after: ${hint}) x3, 200` });
  expect(log).toEqual([0, 1000, 3000, 7000]);
  expect(get.told).toBe('200');
});

test('case 3: a delay of zero means at once, never not at all', async () => {
  const { log, get } = await oneGet({ s: '503, 200', p: { retry: { baseDelay: 0 } } });
  expect(log).toEqual([0, 0]);
  expect(get.told).toBe('200');
});

test('case 4: negative hints are none', async () => {
  const { log, get } = await oneGet({
    s: '503(retry-after: -1), 503(retry-after-ms: -250), 200',
    p: { reading: { waits: [{ from: 'retry-after-ms', as: 'milliseconds' }, 'retry-after'] } },
  });
  expect(log).toEqual([0, 1000, 3000]);
  expect(get.told).toBe('200');
});

test('case 8: an absolute reset under the standard name is waited for as the difference', async () => {
  const opened = await world({
    s: [],
    p: { retry: { throttled: { maxAttempts: 2 } }, pause: { initial: 1 } },
  });
  const resetS = Math.floor(opened.clock.wallMs() / 1000) + 30;
  opened.provider.play([answer(429, { 'ratelimit-remaining': '0', 'ratelimit-reset': String(resetS) })]);
  const get = opened.call();
  await opened.clock.advance(3_600_000);
  expect(opened.log).toEqual([0, 30_000]);
  expect(get.told).toBe('200');
  await opened.leavesNothing();
});

test('case 10: a 429 without a hint, its body a page, is repeated after the own backoff', async () => {
  const page: Behaviour = answer(429, { 'content-type': 'text/html' }, '<html>slow down</html>');
  const { log, get } = await oneGet({ s: [page, 200] });
  expect(log).toEqual([0, 1000]);
  expect(get.told).toBe('200');
});

test('case 10: without retries the error tells method, status and attempts, and no retryAt; the event names provider and route', async () => {
  const opened = await oneGet({
    s: '429',
    p: { retry: { throttled: { maxAttempts: 1 } }, routes: { thing: 'GET /x' } },
  });
  const { get } = opened;
  expect(get.told).toBe('429 attempts-exhausted');
  expect(get.error).toMatchObject({
    response: { status: 429 },
    config: { method: 'get', url: '/x' },
    sluice: { reason: 'attempts-exhausted', attempts: 1, retryAt: null },
  });
  expect(opened.ofType('call-ended')).toMatchObject([{ provider: 'crm', route: 'thing', method: 'GET', attempts: 1 }]);
});

test('case 11: a hint of 3.2 days is refused at once with its moment (in this process; a durable row needs a store)', async () => {
  const opened = await world({ s: '429(retry-after: 277403)' });
  const wall = opened.clock.wallMs();
  const get = opened.call('/x', { deadline: '10s' });
  await opened.clock.advance(0);
  expect([get.told, get.atMs]).toEqual(['429 wait-too-long', 0]);
  expect(get.error.sluice.retryAt).toEqual(new Date(wall + 277_403_000));
  expect(opened.log).toEqual([0]);
  await opened.leavesNothing();
});

test('case 12: a breaker that is open for 30 days, and a pause as long, hold for an hour, and end after 30 days', async () => {
  const days = 86_400_000;
  const opened = await world({
    s: '503, 200, 429(retry-after: 2592000), 200',
    p: {
      retry: { maxAttempts: 1, throttled: { maxAttempts: 1 } },
      breaker: { consecutiveFailures: 1, probeEvery: '30d' },
      pause: { maxHint: '60d' },
    },
  });
  for (const expected of ['503 attempts-exhausted', '200', '429 attempts-exhausted', '200']) {
    const get = opened.call();
    // What rounding to whole microseconds may add.
    await opened.clock.advance(0.01);
    expect(get.told).toBe(expected);
    if (expected === '200') continue;
    await opened.clock.advance(3_600_000);
    const early = opened.call('/x', { deadline: '1m' });
    await opened.clock.advance(60_000);
    expect(early.error).toBeInstanceOf(SluiceError);
    await opened.clock.advance(30 * days - 3_660_000);
  }
  expect(opened.log).toEqual([0, 30 * days, 30 * days, 60 * days]);
  await opened.leavesNothing();
});

test('case 12: the exponent of the backoff ends at its cap, however many failures came before', async () => {
  const { log, get } = await oneGet(
    { s: '503 x40, 200', p: { retry: { maxAttempts: 41, maxDelay: '30s' } } },
    3_600_000,
  );
  const gaps = log.slice(1).map((at, index) => at - log[index]!);
  expect(gaps).toEqual([1000, 2000, 4000, 8000, 16_000, ...Array(35).fill(30_000)]);
  expect(get.told).toBe('200');
});

test('case 12: a block of 1e12 ms holds for an hour, and ends when it is taken off', async () => {
  const opened = await world();
  opened.limits.pause('crm', 1e12);
  const early = opened.call('/x', { deadline: '59m' });
  const waiting = opened.call('/x', { deadline: '23h' });
  await opened.clock.advance(3_600_000);
  expect(early.error).toBeInstanceOf(SluiceError);
  expect(opened.log).toEqual([]);
  opened.limits.resume('crm');
  await opened.clock.advance(0);
  const later = opened.call();
  await opened.clock.advance(0);
  expect(later.told).toBe('200');
  expect(waiting.atMs).not.toBeNull();
  await opened.leavesNothing();
});

test('case 13: the pause of a global refusal is a length: the others go on when it is over', async () => {
  const opened = await world({
    s: [answer(429, {}, { global: true, retry_after: 2 }), 200],
    p: { reading: { waits: [{ from: { body: 'retry_after' }, as: 'seconds' }] } },
  });
  opened.call();
  await opened.clock.advance(100);
  const others = opened.calls(3);
  await opened.clock.advance(1899);
  expect(opened.log).toEqual([0]);
  await opened.clock.advance(1001);
  expect(opened.log).toHaveLength(5);
  expect(opened.log[1]).toBe(2000);
  expect(others.map(({ told }) => told)).toEqual(['200', '200', '200']);
  await opened.leavesNothing();
});

test('case 14: a 403 is a refusal for a limit by its structure, whatever its words; without hints it is final', async () => {
  const limited = await oneGet({ s: [answer(403, { 'retry-after': '60' }, { message: 'worded anew' }), 200] });
  expect(limited.log).toEqual([0, 60_000]);
  expect(limited.get.told).toBe('200');
  const final = await oneGet({ s: [answer(403, {}, { message: 'forbidden' }), 200] });
  expect(final.log).toEqual([0]);
  expect(final.get.told).toBe('403 permanent');
});

test('case 15: of seconds and milliseconds the finer one is waited for; repeated lines are no trouble', async () => {
  const reading = { waits: [{ from: 'retry-after-ms', as: 'milliseconds' }, 'retry-after'] } as const;
  const twice = answer(429, { 'retry-after-ms': '1500', 'retry-after': ['2', '2'] as never });
  for (const s of ['429(retry-after-ms: 1500; retry-after: 2), 200', [twice, 200]]) {
    const { log, get } = await oneGet({ s, p: { reading } });
    expect(log).toEqual([0, 1500]);
    expect(get.told).toBe('200');
  }
});
