import { answer, drip, executedBut, type ScriptStep } from 'nestjs-sluice/testing';
import { tokenBucket } from 'nestjs-sluice';
import { type Caller, closeWorlds, type FaultWorld, type Sent, world } from './faults.fixture.js';

afterEach(closeWorlds);

const HOUR = 3_600_000;
/** What rounding to whole microseconds may add to a pause. */
const A_WHILE = 0.01;

async function oneCall(
  s: string | readonly ScriptStep[],
  p: object = {},
  config: Parameters<Caller['send']>[0] = { url: '/x' },
): Promise<FaultWorld & { sent: Sent }> {
  const opened = await world({ s, p });
  const sent = opened.call(config);
  await opened.clock.advance(HOUR);
  await opened.leavesNothing();
  return Object.assign(opened, { sent });
}

describe('case 29: a 200 that means throttled', () => {
  const cost = (currentlyAvailable: number) => ({
    cost: { requestedQueryCost: 100, throttleStatus: { maximumAvailable: 1000, currentlyAvailable, restoreRate: 50 } },
  });
  const reading = {
    windows: [
      {
        unit: 'points',
        remaining: { body: 'extensions.cost.throttleStatus.currentlyAvailable' },
        limit: { body: 'extensions.cost.throttleStatus.maximumAvailable' },
        perSecond: { body: 'extensions.cost.throttleStatus.restoreRate' },
      },
    ],
    cost: { body: 'extensions.cost.requestedQueryCost' },
    rules: [{ when: { body: { 'errors[].extensions.code': 'THROTTLED' } }, limited: true }],
  };
  const breaker = { consecutiveFailures: 2, probeEvery: '1m' } as const;

  test('is waited for as long as the missing points take to come back', async () => {
    const throttled = answer(200, {}, { errors: [{ extensions: { code: 'THROTTLED' } }], extensions: cost(0) });
    const { log, sent } = await oneCall([throttled, answer(200, {}, { data: 1, extensions: cost(900) })], { reading });
    expect(log).toEqual([0, 2000]);
    expect(sent.told).toBe('200');
  });

  test('is no success to the breaker', async () => {
    const throttled = answer(200, {}, { errors: [{ extensions: { code: 'THROTTLED' } }], extensions: cost(0) });
    const opened = await world({ s: [503, throttled, 503, 200], p: { reading, breaker, retry: { maxAttempts: 1 } } });
    for (const expected of ['503 attempts-exhausted', '503 attempts-exhausted', 'CIRCUIT_OPEN']) {
      const sent = opened.call();
      await opened.clock.advance(5000);
      expect(sent.told).toBe(expected);
    }
    expect(opened.provider.log).toHaveLength(3);
    await opened.leavesNothing();
  });

  test('is a success where only a text of the user holds the word', async () => {
    const { log, sent } = await oneCall([answer(200, {}, { data: { title: 'THROTTLED' } })], { reading });
    expect([log, sent.told]).toEqual([[0], '200']);
  });
});

test('case 30: a cost that nobody declared is reserved up front and corrected once', async () => {
  const opened = await world({
    s: Array.from({ length: 6 }, () => answer(200, { 'x-cost': '10' })),
    p: {
      limits: [tokenBucket({ name: 'points', unit: 'points', burst: 40, limit: 2, per: '1s' })],
      defaultUnits: { points: 10 },
      reading: { cost: 'x-cost' },
    },
  });
  opened.calls(6);
  await opened.clock.advance(4999);
  expect(opened.log).toEqual([0, 0, 0, 0]);
  await opened.clock.advance(HOUR);
  expect(opened.log).toEqual([0, 0, 0, 0, 5000, 10_000]);
  await opened.leavesNothing();
});

test('case 30: what was reserved too low is corrected to what the answer tells', async () => {
  const opened = await world({
    s: Array.from({ length: 6 }, () => answer(200, { 'x-cost': '10' })),
    p: {
      limits: [tokenBucket({ name: 'points', unit: 'points', burst: 40, limit: 2, per: '1s' })],
      reading: { cost: 'x-cost' },
    },
  });
  for (let i = 0; i < 4; i += 1) {
    opened.call();
    await opened.clock.advance(0);
  }
  const fifth = opened.call();
  await opened.clock.advance(499);
  expect(fifth.told).toBe('under way');
  await opened.clock.advance(1);
  expect(opened.log).toEqual([0, 0, 0, 0, 500]);
  await opened.leavesNothing();
});

test('case 31: a 403 without hints is sent once, and does not move the breaker', async () => {
  const opened = await world({ s: '403, 200', p: { breaker: { consecutiveFailures: 1 } } });
  const first = opened.call();
  await opened.clock.advance(HOUR);
  const second = opened.call();
  await opened.clock.advance(0);
  expect([first.told, second.told]).toEqual(['403 permanent', '200']);
  expect(opened.log).toEqual([0, HOUR]);
  expect(opened.ofType('breaker')).toEqual([]);
  await opened.leavesNothing();
});

test('case 32: a run that is limited beyond its patience is refused with its moment, and is not sent before it (in this process)', async () => {
  const opened = await world({ s: '429(retry-after: 600), 200' });
  const wall = opened.clock.wallMs();
  for (let start = 0; start < 3; start += 1) {
    const run = opened.call('/x', { deadline: '1m' });
    await opened.clock.advance(0);
    expect(run.atMs).toBe(start * 100_000);
    const retryAt: Date = run.error.sluice?.retryAt ?? run.error.retryAt;
    expect(retryAt.getTime() - wall).toBeGreaterThanOrEqual(600_000);
    expect(retryAt.getTime() - wall).toBeLessThanOrEqual(600_001);
    await opened.clock.advance(100_000);
  }
  await opened.clock.advance(300_000);
  const last = opened.call();
  await opened.clock.advance(A_WHILE);
  expect([last.told, opened.log]).toEqual(['200', [0, 600_000]]);
  await opened.leavesNothing();
});

test('case 33: a buffered answer that stops within its body is read anew, and comes whole', async () => {
  const stalled = drip(200, [
    { afterMs: 0, text: 'H' },
    { afterMs: 60_000, text: 'never' },
  ]);
  const { log, sent } = await oneCall(
    [stalled, answer(200, {}, 'Hello World')],
    { timeouts: { attempt: 500, total: '1d' } },
    { url: '/x', responseType: 'text' },
  );
  expect(log).toEqual([0, 1500]);
  expect(sent.value).toMatchObject({ status: 200, data: 'Hello World' });
});

test('case 33: a stream of which a byte was given away fails, and is not begun anew', async () => {
  const stalled = drip(200, [
    { afterMs: 0, text: 'H' },
    { afterMs: 60_000, text: 'never' },
  ]);
  const opened = await world({ s: [stalled, 200], p: { timeouts: { bodyIdle: 500, attempt: '10s', total: '1d' } } });
  const seen: string[] = [];
  const read = async (): Promise<void> => {
    const { data } = await opened.caller.send({ url: '/x', responseType: 'stream' }, {});
    for await (const chunk of data) seen.push(String(chunk));
  };
  const reading = opened.watch(read());
  await opened.clock.advance(HOUR);
  expect([reading.told, reading.atMs, seen]).toEqual(['BODY_TIMEOUT', 500, ['H']]);
  expect(opened.log).toEqual([0]);
  await opened.leavesNothing();
});

test('case 159: a 503 after the write took effect is sent once; one that was refused is sent again', async () => {
  const post = { url: '/x', method: 'post', data: { a: 1 } };
  const applied = await oneCall([executedBut(503), 200], {}, post);
  expect(applied.log).toEqual([0]);
  expect(applied.provider.effects).toHaveLength(1);
  expect(applied.sent.told).toBe('503 unsafe');
  expect(applied.ofType('outcome-unknown')).toHaveLength(1);
  const refused = await oneCall('429, 200', {}, post);
  expect(refused.log).toEqual([0, 1000]);
  expect([refused.sent.told, refused.provider.effects.length]).toEqual(['200', 1]);
});

describe('case 160: failures and refusals have tries of their own', () => {
  const retry = { maxAttempts: 3, throttled: { maxAttempts: 6 } };

  test('five sends, and the answer', async () => {
    const { log, sent } = await oneCall('502, 502, 429(retry-after: 1), 429(retry-after: 1), 200', { retry });
    expect(log).toHaveLength(5);
    expect(log.slice(0, 3)).toEqual([0, 1000, 3000]);
    expect(sent.told).toBe('200');
  });

  test('the deadline bounds them all', async () => {
    const opened = await world({ s: '502, 502, 429(retry-after: 1), 429(retry-after: 1), 200', p: { retry } });
    const sent = opened.call('/x', { deadline: 3500 });
    await opened.clock.advance(HOUR);
    expect([sent.told, sent.atMs, opened.log]).toEqual(['429 deadline', 3000, [0, 1000, 3000]]);
    await opened.leavesNothing();
  });
});
