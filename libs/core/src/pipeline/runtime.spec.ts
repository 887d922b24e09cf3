import { SeededRandom, VirtualClock } from '../../../testing/src/index.js';
import { defineProvider } from '../contract/define-provider.js';
import { enterInbound, enterMethod } from '../context/enter.js';
import { EventHub } from '../events/event-hub.js';
import { memoryGate } from '../gate/memory/memory-gate.js';
import { createProviderRuntime } from './create-runtime.js';
import { Harness } from './harness.fixture.js';
import { answered, failed } from './scripted-provider.fixture.js';

const ok = () => Promise.resolve(answered({ status: 200 }));

test('the request beats the method, the method the inbound request, and that the contract', async () => {
  const harness = new Harness({
    script: '200 x4',
    options: { dimensions: ['app', 'user'], lanes: { interactive: {}, background: {} } },
  });
  const inbound = { clock: harness.clock, tenant: 'in', partition: { app: 'in', user: 'in' } };
  const method = { lane: 'interactive', tenant: 'method', partition: { user: 'method' } };
  await enterInbound(inbound, async () => {
    await harness.go('GET').done;
    await enterMethod({ provider: 'crm', clock: harness.clock, options: method }, async () => {
      await harness.go('GET').done;
      await harness.go('GET', { sluice: { lane: 'background', tenant: 'own', partition: { app: 'own' } } }).done;
    });
    await enterMethod({ provider: 'other', clock: harness.clock, options: method }, () => harness.go('GET').done);
  });
  expect(harness.double.asks.map(({ lane, tenant, partition }) => [lane, tenant, partition])).toEqual([
    [1, 'in', { app: 'in', user: 'in' }],
    [0, 'method', { app: 'in', user: 'method' }],
    [1, 'own', { app: 'own', user: 'method' }],
    [1, 'in', { app: 'in', user: 'in' }],
  ]);
  await harness.expectNothingLeft();
});

test('an unknown lane is a CONFIG error that names the lanes', async () => {
  const harness = new Harness();
  expect(() => harness.call('GET', { sluice: { lane: 'fast' } })).toThrow(/"fast".*"default"/);
  await harness.expectNothingLeft();
});

test('a followed redirect is admitted and counted, but is no try, and takes no credentials elsewhere', async () => {
  const harness = new Harness({
    options: {
      auth: { credentials: () => ({ headers: { authorization: 'token' } }) },
      routes: { video: 'GET /videos/:id' },
    },
  });
  const call = harness.call();
  const sent: unknown[] = [];
  const send = ({ number, headers }: { number: number; headers: object }) => {
    sent.push([number, headers]);
    return Promise.resolve(answered({ status: sent.length < 3 ? 302 : 200 }));
  };
  const request = { method: 'GET', path: '/videos/7', query: {}, headers: {}, body: undefined, route: null };
  expect(await call.attempt(send)).toMatchObject({ decision: 'deliver', reason: null, result: { status: 302 } });
  await call.attempt(send, { hop: { request, sameOrigin: true } });
  await call.attempt(send, { hop: { request, sameOrigin: false } });
  expect(sent).toEqual([
    [1, { authorization: 'token' }],
    [2, { authorization: 'token' }],
    [3, {}],
  ]);
  expect(harness.double.asks.map(({ route, kind }) => [route, kind])).toEqual([
    [null, 'first'],
    ['video', 'first'],
    ['video', 'first'],
  ]);
  await harness.expectNothingLeft();
});

test('a call for several takes their lane and deadline as they come and go', async () => {
  const harness = new Harness({ script: '503, 200', options: { lanes: { interactive: {}, background: {} } } });
  let [lane, deadlineMono] = [1, 500];
  const flight = { lane: () => lane, deadlineMono: () => deadlineMono };
  harness.go('GET', { flight });
  await harness.clock.advance(0);
  expect(harness.provider.log).toHaveLength(1);
  const going = harness.go('GET', { flight });
  [lane, deadlineMono] = [0, 60_000];
  await harness.clock.advance(10_000);
  expect(going.told).toBe('200');
  expect(harness.double.asks.map(({ lane: index }) => index)).toEqual([1, 1]);
  await harness.expectNothingLeft();
});

test('new rules are for the calls that begin after them, and bad ones change nothing', async () => {
  const harness = new Harness({ script: '503 x9' });
  const before = harness.go();
  await harness.clock.advance(0);
  expect(() => harness.runtime.update({ retry: { maxAttempts: 0 } })).toThrow(/maxAttempts/);
  harness.runtime.update({ retry: { maxAttempts: 1 }, mode: 'enforce' });
  const after = harness.go();
  await harness.clock.advance(60_000);
  expect([before.call.attempts, after.call.attempts]).toEqual([4, 1]);
  harness.runtime.update({ mode: 'observe' });
  await harness.go().done;
  expect(harness.double.asks.at(-1)).toMatchObject({ observe: true });
  await harness.expectNothingLeft();
});

test('case 25: a hook that returns nothing leaves the default', async () => {
  const harness = new Harness({
    script: '503, 200',
    options: { beforeSend: () => undefined, settleUnits: () => undefined },
  });
  const going = harness.go();
  await harness.clock.advance(60_000);
  expect(going.told).toBe('200');
  expect(await harness.runtime.run(() => 1, { answer: () => undefined })).toBe(1);
  expect(harness.ofType('hook-failed')).toEqual([]);
  await harness.expectNothingLeft();
});

test('case 12: a wait of thirty days is waited for, by timers that can be', async () => {
  const harness = new Harness({
    script: '429(retry-after: 2592000), 200',
    options: {
      retry: { maxWait: '40d' },
      pause: { maxHint: '60d' },
      queue: { maxWait: '50d' },
      timeouts: { attempt: '10s', total: '60d' },
    },
  });
  const going = harness.go();
  await harness.clock.advance(30 * 86_400_000 - 1);
  expect(harness.provider.times).toEqual([0]);
  await harness.clock.advance(1);
  expect([harness.provider.log.length, going.told]).toEqual([2, '200']);
  await harness.expectNothingLeft();
});

test('case 33: a body that stops within a buffered answer is read again; nothing that was handed over is', async () => {
  const harness = new Harness();
  const call = harness.call();
  const results = [failed(true, 'BODY_TIMEOUT'), answered({ status: 200 })];
  const end = await call.attempt(() => Promise.resolve(results.shift()!));
  expect(end).toMatchObject({ decision: 'retry', outcome: 'failed' });
  const slept = call.backoff();
  await harness.clock.advance(1000);
  await slept;
  expect(await call.attempt(() => Promise.resolve(results.shift()!))).toMatchObject({ decision: 'deliver' });
  await harness.expectNothingLeft();
});

test('case 100: providers that were used and are idle keep no timer', async () => {
  const clock = new VirtualClock();
  const deps = { clock, random: new SeededRandom(1), gate: memoryGate(), events: new EventHub(), processId: 'p' };
  for (let i = 0; i < 5000; i += 1) {
    const contract = defineProvider({
      name: `crm-${i}`,
      limits: [{ kind: 'token-bucket', burst: 10, limit: 1, per: '1s' }],
      breaker: { consecutiveFailures: 5 },
    });
    await createProviderRuntime(contract, deps).run(() => 1);
  }
  await clock.advance(1000);
  expect(clock.pendingTimers).toBe(0);
}, 180_000);

test('a closed provider lets no sleeper sleep on', async () => {
  const harness = new Harness({ script: '503' });
  const going = harness.go();
  await harness.clock.advance(10);
  await harness.runtime.close();
  await harness.clock.advance(0);
  expect(going.told).toBe('503 SHUTDOWN queue');
  expect(harness.clock.pendingTimers).toBe(0);
});

test('a refused call tells how long it had waited', async () => {
  const harness = new Harness({
    script: 'hang',
    gate: memoryGate(),
    options: { limits: [{ kind: 'concurrency', limit: 1 }], queue: { maxWait: '2s' } },
  });
  const controller = new AbortController();
  harness.go('GET', { signal: controller.signal });
  harness.go('GET');
  await harness.clock.advance(2000);
  expect(harness.ofType('refused')).toMatchObject([{ code: 'QUEUE_WAIT_EXCEEDED', waitedMs: 2000 }]);
  controller.abort();
  await harness.clock.advance(0);
  await harness.expectNothingLeft();
});

test('whom a call would be for is told without beginning it', async () => {
  const harness = new Harness({ options: { dimensions: ['user'], idempotency: {} } });
  const spec = {
    request: { method: 'POST', path: '/', query: {}, headers: {}, body: undefined, route: null },
    options: { partition: { user: '7' } },
  };
  const ordinals = new Map<string, number>();
  const operation = { id: 'o', key: 'k', ordinals };
  const identity = enterMethod({ provider: 'crm', clock: harness.clock, operation }, () =>
    harness.runtime.identify(spec),
  );
  expect(identity).toMatchObject({ lane: 0, tenant: '', partition: { user: '7' }, observe: false, safety: 'keyed' });
  expect([ordinals.size, harness.double.asks.length]).toEqual([0, 0]);
  await harness.call('GET', { sluice: { partition: { user: '7' } } }).attempt(ok);
  await harness.expectNothingLeft();
});
