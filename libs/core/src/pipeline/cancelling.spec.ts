import { getEventListeners } from 'node:events';
import { enterInbound, enterMethod } from '../context/enter.js';
import { Harness } from './harness.fixture.js';

test('case 22: a cancelled call on the wire is sent once and never retried', async () => {
  const harness = new Harness({ script: 'hang' });
  const controller = new AbortController();
  const going = harness.go('GET', { signal: controller.signal });
  await harness.clock.advance(50);
  const reason = new Error('enough');
  controller.abort(reason);
  await harness.clock.advance(0);
  expect(going.told).toBe('cancelled');
  expect(going.end).toMatchObject({ error: reason });
  await harness.clock.advance(3_600_000);
  expect(harness.provider.times).toEqual([0]);
  await harness.expectNothingLeft();
});

test('law 17: a read on the wire is torn down with its caller, and says nothing against the provider', async () => {
  const harness = new Harness({ script: 'hang' });
  const controller = new AbortController();
  harness.go('GET', { signal: controller.signal });
  await harness.clock.advance(50);
  controller.abort();
  await harness.clock.advance(0);
  expect(harness.provider.torn).toBe(1);
  expect(harness.double.settled).toMatchObject([{ settlement: { end: 'no-answer', health: 'none' } }]);
  expect(harness.ofType('attempt-ended')).toMatchObject([{ outcome: 'cancelled' }]);
  await harness.expectNothingLeft();
});

test('law 17: a write on the wire releases its caller at once, keeps its permit, and its outcome is recorded', async () => {
  const harness = new Harness({ script: 'slow(2000) 200' });
  const controller = new AbortController();
  const going = harness.go('POST', { signal: controller.signal });
  await harness.clock.advance(50);
  controller.abort();
  await harness.clock.advance(0);
  expect([going.told, going.endedAt]).toEqual(['cancelled', 50]);
  expect([harness.provider.torn, harness.double.open]).toEqual([0, 1]);
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  await harness.clock.advance(1949);
  expect(harness.double.open).toBe(1);
  await harness.clock.advance(1);
  expect(harness.double.settled).toMatchObject([{ settlement: { end: 'answered', health: 'alive' } }]);
  expect(harness.ofType('attempt-ended')).toMatchObject([{ outcome: 'succeeded', status: 200, durationMs: 2000 }]);
  await harness.expectNothingLeft();
});

test('law 17: a cancelled write that never gets its answer ends by its attempt timeout, as unknown', async () => {
  const harness = new Harness({ script: 'hang', options: { timeouts: { attempt: '10s', total: '1d' } } });
  const controller = new AbortController();
  harness.go('POST', { signal: controller.signal });
  await harness.clock.advance(0);
  controller.abort();
  await harness.clock.advance(9999);
  expect(harness.double.open).toBe(1);
  await harness.clock.advance(1);
  expect(harness.double.settled).toMatchObject([{ settlement: { end: 'no-answer', health: 'failure' } }]);
  expect(harness.ofType('outcome-unknown')).toHaveLength(1);
  await harness.expectNothingLeft();
});

describe('case 104: an abort around the pause before a retry', () => {
  const cancelledAt = async (abortAt: number): Promise<Harness & { told: string }> => {
    const harness = new Harness({ script: '503, hang' });
    const controller = new AbortController();
    harness.clock.schedule(abortAt, () => controller.abort());
    const going = harness.go('GET', { signal: controller.signal });
    await harness.clock.advance(5000);
    await harness.expectNothingLeft();
    return Object.assign(harness, { told: going.told });
  };

  test.each([
    ['in the pause', 500, 1],
    ['as the pause ends', 1000, 1],
    ['during the second attempt', 1500, 2],
  ])('%s: one cancellation, no further send', async (_when, abortAt, sends) => {
    const { provider, told } = await cancelledAt(abortAt);
    expect(told).toBe('cancelled');
    expect(provider.log).toHaveLength(sends);
  });

  test('after the end: nothing happens any more', async () => {
    const harness = new Harness({ script: '503, 200' });
    const controller = new AbortController();
    const going = harness.go('GET', { signal: controller.signal });
    await harness.clock.advance(5000);
    controller.abort();
    await harness.clock.advance(5000);
    expect(going.told).toBe('200');
    await harness.expectNothingLeft();
  });
});

test('case 105: an abort in the line, in the pause and on the wire ends the call in the same way', async () => {
  const reason = new TypeError('of any kind');
  const inLine = new Harness();
  inLine.double.grantAfterMs = 1000;
  const inPause = new Harness({ script: '503' });
  const onWire = new Harness({ script: 'hang' });
  for (const harness of [inLine, inPause, onWire]) {
    const controller = new AbortController();
    const going = harness.go('GET', { signal: controller.signal });
    await harness.clock.advance(50);
    controller.abort(reason);
    await harness.clock.advance(0);
    expect(going.end).toMatchObject({ decision: 'raise', cancelled: true, outcome: 'cancelled', error: reason });
    await harness.expectNothingLeft();
  }
});

test('a call that is cancelled before it begins asks for nothing', async () => {
  const harness = new Harness();
  const going = harness.go('GET', { signal: AbortSignal.abort() });
  await harness.clock.advance(0);
  expect([going.told, harness.double.asks.length]).toEqual(['cancelled', 0]);
  await harness.expectNothingLeft();
});

test('a sleeper that gives up gives its place in the retry budget back', async () => {
  const harness = new Harness({ script: '503', options: { retry: { budget: {} } } });
  const controller = new AbortController();
  harness.go('GET', { signal: controller.signal });
  await harness.clock.advance(500);
  expect(harness.double.released).toEqual([]);
  controller.abort();
  await harness.clock.advance(0);
  expect(harness.double.released).toEqual(['place-1']);
  await harness.expectNothingLeft();
});

test('a client that disconnects ends reads, never writes', async () => {
  const harness = new Harness({ script: 'hang, slow(100) 200' });
  const disconnected = new AbortController();
  const [read, write] = enterInbound({ clock: harness.clock, disconnected: disconnected.signal }, () => [
    harness.go('GET'),
    harness.go('POST'),
  ]) as [ReturnType<Harness['go']>, ReturnType<Harness['go']>];
  await harness.clock.advance(10);
  disconnected.abort();
  await harness.clock.advance(1000);
  expect([read.told, read.endedAt, write.told]).toEqual(['cancelled', 10, '200']);
  expect(getEventListeners(disconnected.signal, 'abort')).toHaveLength(0);
  await harness.expectNothingLeft();
});

test('a method that is unsubscribed from ends the calls inside', async () => {
  const harness = new Harness({ script: 'hang' });
  const unsubscribed = new AbortController();
  const own = new AbortController();
  const going = enterMethod({ provider: 'crm', clock: harness.clock, signal: unsubscribed.signal }, () =>
    harness.go('GET', { signal: own.signal }),
  );
  await harness.clock.advance(10);
  unsubscribed.abort();
  await harness.clock.advance(0);
  expect(going.told).toBe('cancelled');
  expect(getEventListeners(unsubscribed.signal, 'abort')).toHaveLength(0);
  await harness.expectNothingLeft();
});
