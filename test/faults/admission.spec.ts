import { concurrency, tokenBucket } from 'nestjs-sluice';
import { closeWorlds, type FaultWorld, world } from './faults.fixture.js';

afterEach(closeWorlds);

const told = (sent: readonly { readonly told: string }[]): string[] => sent.map((each) => each.told);

test('case 38: of ten queued under one signal none is sent after its abort, and the next in line has the place', async () => {
  const opened = await world({
    p: { limits: [concurrency({ limit: 1 }), tokenBucket({ burst: 1, limit: 1, per: '1s' })] },
  });
  const controller = new AbortController();
  opened.call('/first');
  await opened.clock.advance(0);
  const ten = opened.calls(10, { url: '/ten', signal: controller.signal });
  const x = opened.call('/x');
  await opened.clock.advance(100);
  controller.abort();
  await opened.clock.advance(900);
  expect(new Set(told(ten))).toEqual(new Set(['cancelled']));
  expect([x.told, opened.log]).toEqual(['200', [0, 1000]]);
  expect(opened.provider.log.map(({ path }) => path)).toEqual(['/first', '/x']);
  await opened.leavesNothing();
});

test('case 40: a call whose signal was aborted before is rejected without time, and never enters the line', async () => {
  const opened = await world({ s: 'hang', p: { limits: [concurrency({ limit: 1 })] } });
  const running = new AbortController();
  opened.call({ url: '/x', signal: running.signal });
  await opened.clock.advance(0);
  const asked = opened.ofType('asked').length;
  const late = opened.call({ url: '/x', signal: AbortSignal.abort() });
  await late.done;
  expect([late.told, late.atMs, opened.ofType('asked').length]).toEqual(['cancelled', 0, asked]);
  expect(await opened.limits.inspect('crm')).toMatchObject({ waiting: 0, active: 1 });
  running.abort();
  await opened.leavesNothing();
});

test('case 42: attempts that never end give their permits back with their time limit, a hundred rounds long', async () => {
  const opened = await world({
    s: 'hang x300, 200',
    p: { limits: [concurrency({ limit: 2 })], retry: { maxAttempts: 1 }, timeouts: { attempt: 1000, total: '1d' } },
  });
  for (let round = 0; round < 100; round += 1) {
    const calls = opened.calls(3);
    await opened.clock.advance(2000);
    expect(calls.map(({ told: each, atMs }) => [each, atMs! - round * 2000])).toEqual([
      ['ATTEMPT_TIMEOUT', 1000],
      ['ATTEMPT_TIMEOUT', 1000],
      ['ATTEMPT_TIMEOUT', 2000],
    ]);
    expect(opened.log.slice(-3).map((at) => at - round * 2000)).toEqual([0, 0, 1000]);
  }
  const free = opened.calls(2);
  await opened.clock.advance(0);
  expect([told(free), opened.log.slice(-2)]).toEqual([
    ['200', '200'],
    [200_000, 200_000],
  ]);
  await opened.leavesNothing();
});

describe('case 43: the wait in line', () => {
  const limits = [concurrency({ limit: 1 })];

  test('is no part of the time of an attempt', async () => {
    const opened = await world({ s: 'slow(400) 200 x3', p: { limits, timeouts: { attempt: 500, total: '1d' } } });
    const calls = opened.calls(3);
    await opened.clock.advance(1200);
    expect(told(calls)).toEqual(['200', '200', '200']);
    expect(opened.log).toEqual([0, 400, 800]);
    await opened.leavesNothing();
  });

  test('has a bound of its own, and an error of its own', async () => {
    const opened = await world({ s: 'slow(400) 200 x3', p: { limits, queue: { maxWait: 300 } } });
    const calls = opened.calls(3);
    await opened.clock.advance(1200);
    expect(calls.map((each) => [each.told, each.atMs])).toEqual([
      ['200', 400],
      ['QUEUE_WAIT_EXCEEDED', 300],
      ['QUEUE_WAIT_EXCEEDED', 300],
    ]);
    await opened.leavesNothing();
  });
});

describe('case 45: a wall clock that steps by an hour', () => {
  const step = async (opened: FaultWorld): Promise<void> => {
    await opened.clock.advance(500);
    opened.clock.stepWall(-3_600_000);
    await opened.clock.advance(500);
    opened.clock.stepWall(7_200_000);
  };

  test('does not change the rate', async () => {
    const opened = await world({ p: { limits: [tokenBucket({ burst: 1, limit: 5, per: '1s' })] } });
    opened.calls(12);
    await step(opened);
    await opened.clock.advance(2000);
    expect(opened.log).toEqual(Array.from({ length: 12 }, (_, index) => index * 200));
    await opened.leavesNothing();
  });

  test('does not change how long a breaker stays open', async () => {
    const opened = await world({
      s: '503, 200',
      p: { retry: { maxAttempts: 1 }, breaker: { consecutiveFailures: 1, probeEvery: '10s' } },
    });
    opened.call();
    await step(opened);
    await opened.clock.advance(8999);
    const early = opened.call();
    await opened.clock.advance(1);
    const probe = opened.call();
    await opened.clock.advance(0);
    expect([early.told, probe.told, opened.log]).toEqual(['CIRCUIT_OPEN', '200', [0, 10_000]]);
    await opened.leavesNothing();
  });

  test('does not change the grace of a drain', async () => {
    const opened = await world({ s: 'hang' });
    const controller = new AbortController();
    opened.call({ url: '/x', signal: controller.signal });
    await opened.clock.advance(0);
    const drained = opened.watch(opened.limits.drain('crm', '5s'));
    await step(opened);
    await opened.clock.advance(10_000);
    expect(drained.atMs).toBe(5000);
    controller.abort();
    await opened.leavesNothing();
  });
});

describe('case 54: three under way and five waiting', () => {
  const limits = [concurrency({ limit: 3 })];

  test('all end under new numbers, and nobody is refused', async () => {
    const opened = await world({ s: 'slow(1000) 200 x8', p: { limits } });
    const calls = opened.calls(8);
    await opened.clock.advance(500);
    opened.limits.update('crm', { limits: [concurrency({ limit: 8 })] });
    await opened.clock.advance(1000);
    expect(told(calls)).toEqual(Array(8).fill('200'));
    expect(opened.log).toEqual([0, 0, 0, 500, 500, 500, 500, 500]);
    await opened.leavesNothing();
  });

  test('a shutdown refuses the five and all that come, and gives the three their time', async () => {
    const opened = await world({ s: 'slow(1000) 200 x8', p: { limits } });
    const calls = opened.calls(8);
    await opened.clock.advance(500);
    const drained = opened.watch(opened.limits.drain('crm', '5s'));
    const later = opened.call();
    await opened.clock.advance(0);
    expect(told(calls)).toEqual([...Array(3).fill('under way'), ...Array(5).fill('SHUTDOWN')]);
    expect([later.told, later.atMs]).toEqual(['SHUTDOWN', 500]);
    await opened.clock.advance(5000);
    expect([told(calls.slice(0, 3)), drained.atMs]).toEqual([['200', '200', '200'], 1000]);
    await opened.leavesNothing();
  });
});

test('case 156: the third queued call is sent', async () => {
  const opened = await world({ s: 'slow(1000) 200 x3', p: { limits: [concurrency({ limit: 1 })] } });
  const calls = opened.calls(3);
  await opened.clock.advance(3000);
  expect(told(calls)).toEqual(['200', '200', '200']);
  expect(opened.log).toEqual([0, 1000, 2000]);
  await opened.leavesNothing();
});

test("law 6: a beforeSend that calls through the provider's own client is refused at once, not left to wait for its own permit", async () => {
  const opened: { world?: FaultWorld } = {};
  const beforeSend = async ({ path }: { readonly path: string }): Promise<void> => {
    if (path === '/x') await opened.world?.caller.http.axiosRef.get('/signature');
  };
  opened.world = await world({ p: { limits: [concurrency({ limit: 1 })], beforeSend } });
  const sent = opened.world.call('/x');
  const other = opened.world.call('/y');
  await opened.world.clock.advance(0);
  expect([sent.told, sent.atMs, other.told]).toEqual(['CONFIG', 0, '200']);
  expect(sent.error.message).toContain('beforeSend');
  expect(opened.world.provider.log.map(({ path }) => path)).toEqual(['/y']);
  await opened.world.leavesNothing();
});

test("law 6: a body that is made by a call through the provider's own client is refused at once", async () => {
  const opened = await world({ p: { limits: [concurrency({ limit: 1 })] } });
  const { axiosRef } = opened.caller.http;
  const body = async (): Promise<unknown> => (await axiosRef.get('/source')).data;
  const sent = opened.call({ url: '/x', method: 'post', sluice: { body } });
  const other = opened.call('/y');
  await opened.clock.advance(0);
  expect([sent.told, sent.atMs, other.told]).toEqual(['CONFIG', 0, '200']);
  expect(opened.provider.log.map(({ path }) => path)).toEqual(['/y']);
  await opened.leavesNothing();
});

test('law 18: in observe mode nothing is refused for being made inside an attempt', async () => {
  const opened = await world({ p: { mode: 'observe' } });
  const sent = opened.watch(opened.limits.run('crm', () => opened.caller.http.axiosRef.get('/x')));
  await opened.clock.advance(0);
  expect(sent.told).toBe('200');
  expect(opened.log).toEqual([0]);
  await opened.leavesNothing();
});
