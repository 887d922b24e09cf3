import { Agent } from 'node:http';
import type { AxiosRequestConfig } from 'axios';
import { concurrency, tokenBucket } from 'nestjs-sluice';
import { closeWorlds, world } from './faults.fixture.js';

afterEach(closeWorlds);

const HOUR = 3_600_000;

test('case 151: the labels of ten thousand requests of 500 tenants are as many as routes and outcomes, and hold no secret', async () => {
  const opened = await world({
    s: {
      next: ({ path }) =>
        path.endsWith('7') ? { answer: { status: 422, body: { error: `no such thing: ${path}` } } } : null,
    },
    p: {
      limits: [concurrency({ limit: 100 })],
      routes: { user: 'GET /users/:id' },
    },
  });
  for (let round = 0; round < 100; round += 1) {
    for (let index = 0; index < 100; index += 1) {
      const id = round * 100 + index;
      const path = id % 10 === 0 ? `/elsewhere/${id}` : `/users/${id}`;
      opened.call(`${path}?token=secret-${id}`, { tenant: `tenant-${id % 500}` });
    }
    await opened.clock.advance(0);
  }
  expect(opened.provider.log).toHaveLength(10_000);
  const ended = opened.ofType('call-ended');
  expect(ended).toHaveLength(10_000);
  const series = new Set(
    ended.map(({ provider, lane, route, method, outcome }) => [provider, lane, route, method, outcome].join()),
  );
  expect([...series].sort()).toEqual([
    'crm,default,,GET,succeeded',
    'crm,default,user,GET,rejected',
    'crm,default,user,GET,succeeded',
  ]);
  expect(JSON.stringify(opened.events)).not.toMatch(/secret|tenant-|elsewhere|users\/|no such thing/);
  await opened.leavesNothing();
}, 120_000);

test('case 153: the wait that is told is the gap that follows, with its reason', async () => {
  const opened = await world({ s: '429(retry-after: 51), 503, 200', p: { retry: { jitter: 'full' } } });
  opened.call();
  await opened.clock.advance(HOUR);
  const waits = opened.ofType('decision').filter(({ decision }) => decision === 'retry');
  const [first, second, third] = opened.provider.log.map(({ atMs }) => atMs) as [number, number, number];
  expect(waits.map(({ waitReason }) => waitReason)).toEqual(['retry-after', 'backoff']);
  expect(waits[0]!.waitMs).toBeCloseTo(second - first, 2);
  expect(waits[1]!.waitMs).toBeCloseTo(third - second, 2);
  expect(second - first).toBeGreaterThanOrEqual(51_000);
  expect(second - first).toBeLessThanOrEqual(51_500);
  await opened.leavesNothing();
});

test('case 154: ten breaker refusals, five queue timeouts and three aborts are no failures of the provider', async () => {
  const opened = await world({
    s: '503 x2, 200, hang, 200',
    p: {
      limits: [concurrency({ limit: 1 })],
      retry: { maxAttempts: 1 },
      queue: { maxWait: '5s' },
      breaker: { consecutiveFailures: 2, probeEvery: '60s' },
    },
  });
  opened.calls(2);
  await opened.clock.advance(0);
  const rejected = opened.calls(10);
  await opened.clock.advance(60_000);
  expect(new Set(rejected.map(({ told }) => told))).toEqual(new Set(['CIRCUIT_OPEN']));
  await opened.clock.advance(0);
  const probe = opened.call();
  await opened.clock.advance(0);
  const running = new AbortController();
  const onWire = opened.call({ url: '/x', signal: running.signal });
  await opened.clock.advance(0);
  const aborted = new AbortController();
  const inLine = opened.calls(2, { url: '/x', signal: aborted.signal });
  const queued = opened.calls(5);
  await opened.clock.advance(1000);
  aborted.abort();
  await opened.clock.advance(4000);
  running.abort();
  await opened.clock.advance(0);
  const last = opened.call();
  await opened.clock.advance(0);
  expect([onWire, ...inLine].map(({ told }) => told)).toEqual(Array(3).fill('cancelled'));
  expect(queued.map(({ told }) => told)).toEqual(Array(5).fill('QUEUE_WAIT_EXCEEDED'));
  expect([probe.told, last.told]).toEqual(['200', '200']);
  const outcomes = opened.ofType('call-ended').map(({ outcome }) => outcome);
  const count = (wanted: string): number => outcomes.filter((each) => each === wanted).length;
  expect(['failed', 'refused', 'cancelled', 'succeeded'].map(count)).toEqual([2, 15, 3, 2]);
  expect(opened.ofType('attempt-ended').filter(({ outcome }) => outcome === 'failed')).toHaveLength(2);
  expect(opened.ofType('breaker').map(({ state }) => state)).toEqual(['open', 'closed']);
  await opened.leavesNothing();
});

test('law 18: an observed call is not refused for a partition that nobody can name', async () => {
  const limits = [tokenBucket({ burst: 1, limit: 1, per: '1h', countedBy: ['account'] })];
  const opened = await world({ p: { mode: 'observe', dimensions: ['account'], limits } });
  const odd = { account: undefined } as unknown as Record<string, string>;
  const sent = [opened.call('/x', { partition: { account: '' } }), opened.call('/x', { partition: odd })];
  const bare = opened.watch(opened.caller.http.axiosRef.get('/x', { sluice: { partition: { account: '' } } }));
  await opened.clock.advance(0);
  expect([...sent, bare].map(({ told }) => told)).toEqual(['200', '200', '200']);
  expect(opened.ofType('hook-failed').map(({ hook }) => hook)).toEqual(Array(2).fill('Caller.send partition'));
  opened.limits.update('crm', { mode: 'enforce' });
  const refused = opened.call('/x', { partition: { account: '' } });
  await opened.clock.advance(0);
  expect([refused.told, opened.log]).toEqual(['CONFIG', [0, 0, 0]]);
  await opened.leavesNothing();
});

test('law 18: an observed call is not refused for what would stand in the way of enforcing it', async () => {
  const opened = await world({ p: { mode: 'observe', limits: [concurrency({ limit: 10 })] } });
  const narrow = opened.call({ url: '/x', httpAgent: new Agent({ maxSockets: 1 }) });
  const retried = opened.call({ url: '/x', 'axios-retry': { retries: 0 } } as AxiosRequestConfig);
  await opened.clock.advance(0);
  expect([narrow.told, retried.told]).toEqual(['200', '200']);
  await opened.leavesNothing();
});
