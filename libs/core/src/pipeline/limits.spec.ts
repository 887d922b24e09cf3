import { AsyncLocalStorage } from 'node:async_hooks';
import { currentCall } from '../context/context.js';
import { enterInbound, enterMethod } from '../context/enter.js';
import { SluiceError } from '../errors/sluice-error.js';
import { Harness } from './harness.fixture.js';
import { answered, failed } from './scripted-provider.fixture.js';

test('an attempt ends by its own timeout, which is counted against the provider, and is retried where it is safe', async () => {
  const harness = new Harness({ script: 'hang, 200', options: { timeouts: { attempt: '10s', total: '1d' } } });
  const going = harness.go();
  await harness.clock.advance(60_000);
  expect(harness.provider.times).toEqual([0, 11_000]);
  expect(going.told).toBe('200');
  expect(harness.provider.torn).toBe(1);
  expect(harness.double.settled[0]).toMatchObject({ settlement: { end: 'no-answer', health: 'failure' } });
  await harness.expectNothingLeft();
});

test("the request's own timeout narrows the attempt, and never widens it", async () => {
  const harness = new Harness({
    script: 'hang x2',
    options: { retry: { maxAttempts: 1 }, timeouts: { attempt: '10s', total: '1d' } },
  });
  const [narrow, wide] = [harness.go('GET', { timeoutMs: 300 }), harness.go('GET', { timeoutMs: 60_000 })];
  await harness.clock.advance(60_000);
  expect([narrow.told, narrow.endedAt]).toEqual(['ATTEMPT_TIMEOUT attempts-exhausted', 300]);
  expect([wide.told, wide.endedAt]).toEqual(['ATTEMPT_TIMEOUT attempts-exhausted', 10_000]);
  await harness.expectNothingLeft();
});

test('each time limit has an error of its own', async () => {
  const harness = new Harness({ options: { retry: { maxAttempts: 1 } } });
  for (const code of ['CONNECT_TIMEOUT', 'BODY_TIMEOUT']) {
    const end = await harness.call().attempt(() => Promise.resolve(failed(code === 'BODY_TIMEOUT', code)));
    expect(end).toMatchObject({ decision: 'raise', error: { name: 'SluiceError', code } });
  }
  await harness.expectNothingLeft();
});

test('a sender that says in time that nothing was sent is believed, although its time was over', async () => {
  const harness = new Harness({ options: { retry: { maxAttempts: 1 }, timeouts: { attempt: '1s', total: '1d' } } });
  const end = harness.call('POST').attempt(
    ({ signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve(failed(false, 'ERR_CANCELED')), { once: true });
      }),
  );
  await harness.clock.advance(1000);
  expect(await end).toMatchObject({ outcome: 'failed', error: { code: 'ATTEMPT_TIMEOUT' } });
  expect(harness.double.settled).toMatchObject([{ settlement: { end: 'not-sent' } }]);
  await harness.expectNothingLeft();
});

test('a stream has its time limit to the headers; its permit is kept until its rest is over', async () => {
  const harness = new Harness({ options: { timeouts: { attempt: '1s', total: '1d' } } });
  let over: () => void = () => undefined;
  const rest = new Promise<void>((resolve) => {
    over = resolve;
  });
  const end = await harness.call().attempt(async (context) => {
    context.headersReceived();
    await Promise.resolve();
    return { ...answered({ status: 200 }), rest } as never;
  });
  expect(end).toMatchObject({ decision: 'deliver', outcome: 'succeeded' });
  await harness.clock.advance(60_000);
  expect(harness.double.open).toBe(1);
  over();
  await harness.clock.advance(0);
  await harness.expectNothingLeft();
});

test('law 4: a bare write asks for its whole attempt timeout, a read for next to nothing', async () => {
  const harness = new Harness({ script: '200 x2', options: { timeouts: { attempt: '10s', total: '1d' } } });
  await harness.go('POST', { sluice: { deadline: '30s' } }).done;
  await harness.go('GET').done;
  expect(harness.double.asks).toMatchObject([
    { needMs: 10_000, attemptMs: 10_000, deadlineMono: 30_000 },
    { needMs: 1, attemptMs: 10_000 },
  ]);
  await harness.expectNothingLeft();
});

test('law 4: an attempt whose deadline passed while it was made ready is not sent', async () => {
  const harness = new Harness({
    options: { beforeSend: () => new Promise((resolve) => void harness.clock.schedule(200, () => resolve(undefined))) },
  });
  const going = harness.go('GET', { sluice: { deadline: 100 } });
  await harness.clock.advance(1000);
  expect(going.told).toBe('DEADLINE_EXCEEDED deadline');
  expect(harness.provider.log).toHaveLength(0);
  expect(harness.double.settled).toMatchObject([{ settlement: { end: 'not-sent', health: 'none' } }]);
  await harness.expectNothingLeft();
});

test('deadlines of the inbound request, the method and the request nest, and only narrow', async () => {
  const harness = new Harness({ script: '200 x4' });
  const { clock } = harness;
  const ask = (inbound: number, method: number, own: number): void => {
    enterInbound({ clock, deadline: inbound }, () =>
      enterMethod({ provider: 'crm', clock, options: { deadline: method } }, () =>
        harness.go('GET', { sluice: { deadline: own } }),
      ),
    );
  };
  ask(100, 200, 300);
  ask(300, 100, 200);
  ask(200, 300, 100);
  enterMethod({ provider: 'crm', clock, options: { deadline: 100 } }, () =>
    enterMethod({ provider: 'other', clock, options: { deadline: 500 } }, () => harness.go('GET')),
  );
  await clock.advance(0);
  expect(harness.double.asks.map(({ deadlineMono }) => deadlineMono)).toEqual([100, 100, 100, 100]);
  await harness.expectNothingLeft();
});

test('law 6: a call between two attempts holds no permit', async () => {
  const harness = new Harness({ script: '503, 429(retry-after: 5), 200' });
  harness.go();
  await harness.clock.advance(500);
  expect(harness.double.open).toBe(0);
  await harness.clock.advance(1500);
  expect([harness.provider.log.length, harness.double.open]).toEqual([2, 0]);
  await harness.clock.advance(10_000);
  await harness.expectNothingLeft();
});

test('law 16: a wall clock that steps changes no wait', async () => {
  const harness = new Harness({ script: '503 x3, 200' });
  harness.go();
  await harness.clock.advance(500);
  harness.clock.stepWall(-3_600_000);
  await harness.clock.advance(1500);
  harness.clock.stepWall(7_200_000);
  await harness.clock.advance(60_000);
  expect(harness.provider.times).toEqual([0, 1000, 3000, 7000]);
  await harness.expectNothingLeft();
});

test('law 5: timers hold no async context of a caller', async () => {
  const storage = new AsyncLocalStorage<string>();
  const seen: (string | undefined)[] = [];
  const harness = new Harness({
    script: 'hang',
    options: { retry: { maxAttempts: 1 }, timeouts: { attempt: '1s', total: '1d' } },
  });
  harness.hub.subscribe((event) => {
    if (event.type === 'attempt-started') seen.push(storage.getStore());
  });
  const schedule = harness.clock.schedule.bind(harness.clock);
  harness.clock.schedule = (ms, fn) => schedule(ms, () => (seen.push(storage.getStore()), fn()));
  storage.run('request 1', () => void harness.go());
  await harness.clock.advance(1000);
  expect(seen).toEqual(['request 1', undefined, ...seen.slice(2)]);
  expect(seen.slice(1).every((store) => store === undefined)).toBe(true);
  await harness.expectNothingLeft();
});

test('the sender runs in the context of its caller, as the current call', async () => {
  const storage = new AsyncLocalStorage<string>();
  const harness = new Harness({ options: { dimensions: [] } });
  const call = storage.run('request 1', () => harness.call('GET', { sluice: { deadline: '5s' } }));
  await harness.clock.advance(1000);
  const seen: unknown[] = [];
  await storage.run('request 1', () =>
    call.attempt(async () => {
      await Promise.resolve();
      const current = currentCall();
      seen.push(storage.getStore(), current?.provider, current?.attempt, current?.remainingMs, current?.deadlineAt);
      return answered({ status: 200 });
    }),
  );
  expect(seen).toEqual(['request 1', 'crm', 1, 4000, new Date(harness.clock.wallMs() + 4000)]);
  expect(currentCall()).toBeUndefined();
  await harness.expectNothingLeft();
});

test('a refusal of the gate ends the call unsent; after an answer the caller gets that answer', async () => {
  const paused = new SluiceError({ code: 'PAUSED', message: 'paused', provider: 'crm', retryAt: new Date(5) });
  const harness = new Harness({ script: '429' });
  harness.double.refuse = (_request, nth) => (nth === 2 || nth === 3 ? paused : undefined);
  const answeredBefore = harness.go();
  await harness.clock.advance(1000);
  expect(answeredBefore.told).toBe('429 PAUSED paused');
  expect(answeredBefore.end).toMatchObject({ outcome: 'refused', retryAt: new Date(5), error: { attempts: 1 } });
  const unsent = harness.go();
  await harness.clock.advance(0);
  expect(unsent.told).toBe('PAUSED paused');
  expect(harness.provider.log).toHaveLength(1);
  await harness.expectNothingLeft();
});
