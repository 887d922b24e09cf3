import axios from 'axios';
import { getEventListeners } from 'node:events';
import { WALL, world } from './world.fixture.js';

test('a refused request is answered 429 with the seconds to wait, and charged nowhere', async () => {
  const { clock, simulator, http } = world({
    limits: [{ kind: 'token-bucket', burst: 1, limit: 1, perMs: 2_500 }],
    quotaHeaders: 'x-ratelimit',
  });
  await http.get('/a');
  const refused = await http.get('/a');
  expect(refused.status).toBe(429);
  expect(refused.headers).toMatchObject({
    'retry-after': '3',
    'x-ratelimit-limit': '1',
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': String(Math.ceil((WALL + 2_500) / 1_000)),
  });
  await clock.advance(2_499);
  expect((await http.get('/a')).status).toBe(429);
  await clock.advance(1);
  expect((await http.get('/a')).status).toBe(200);
  expect(simulator.log.map(({ verdict, limitedBy }) => limitedBy ?? verdict)).toEqual([
    'accepted',
    'token-bucket',
    'token-bucket',
    'accepted',
  ]);
});

test.each([
  [
    'x-ratelimit-date',
    { 'x-ratelimit-limit': '2', 'x-ratelimit-remaining': '1', 'x-ratelimit-reset': '2026-07-31T17:01:00+00:00' },
  ],
  ['ratelimit', { 'ratelimit-limit': '2', 'ratelimit-remaining': '1', 'ratelimit-reset': '60' }],
  ['ratelimit-list', { ratelimit: '"fixed-window";r=1;t=60', 'ratelimit-policy': '"fixed-window";q=2;w=60' }],
] as const)('quota headers in the form %s', async (style, headers) => {
  const { http } = world({ limits: [{ kind: 'fixed-window', limit: 2, perMs: 60_000 }], quotaHeaders: style });
  expect((await http.get('/')).headers).toMatchObject(headers);
});

test('concurrency is held from arrival to answer, and given back when the client leaves', async () => {
  const { clock, simulator, http } = world({ limits: [{ kind: 'concurrency', limit: 1 }], latencyMs: 100 });
  const leaving = new AbortController();
  const first = http.get('/1', { signal: leaving.signal }).catch((error: unknown) => error);
  await clock.advance(50);
  expect((await http.get('/2')).status).toBe(429);
  leaving.abort();
  expect(axios.isCancel(await first)).toBe(true);
  await clock.advance(0);
  const third = http.get('/3');
  await clock.advance(100);
  expect((await third).status).toBe(200);
  expect(simulator.log.map(({ end }) => end)).toEqual(['client-left', 'answered', 'answered']);
  expect([clock.pendingTimers, getEventListeners(leaving.signal, 'abort').length]).toEqual([0, 0]);
});

test('a provider that finishes what it began keeps the place after the client left', async () => {
  const { clock, simulator, http } = world({
    limits: [{ kind: 'concurrency', limit: 1 }],
    latencyMs: 100,
    afterDisconnect: 'finish',
  });
  const first = http.get('/1', { timeout: 30 }).catch((error: { code: string }) => error.code);
  await clock.advance(30);
  expect(await first).toBe('ECONNABORTED');
  await clock.advance(69);
  expect((await http.get('/2')).status).toBe(429);
  await clock.advance(1);
  const third = http.get('/3');
  await clock.advance(100);
  expect((await third).status).toBe(200);
  expect(simulator.log[0]).toMatchObject({ endedAtMs: 100, end: 'client-left', status: null });
});

test('other programs use up part of the limit', async () => {
  const { clock, simulator, http } = world({
    limits: [{ kind: 'fixed-window', align: 'clock', limit: 10, perMs: 60_000 }],
    others: [{ everyMs: 10_000, untilMs: 60_000 }],
  });
  const statuses: number[] = [];
  for (let i = 0; i < 6; i += 1) {
    await clock.advance(9_999);
    statuses.push((await http.get('/')).status, (await http.get('/')).status);
  }
  expect(statuses.filter((status) => status === 200)).toHaveLength(7);
  expect(simulator.others).toEqual({ accepted: 3, limited: 2 });
});

test('120 calls at once of a client that tries again every 2 s: three minutes, and some 4,000 refusals', async () => {
  const { clock, simulator, http } = world({
    limits: [{ kind: 'token-bucket', burst: 30, limit: 30, perMs: 60_000 }],
  });
  const call = async (): Promise<void> => {
    while ((await http.get('/')).status === 429)
      await new Promise<void>((resolve) => void clock.schedule(2_000, resolve));
  };
  await clock.advanceUntil(Promise.all(Array.from({ length: 120 }, call)));
  expect(clock.monoMs()).toBe(180_000);
  expect(simulator.log.filter(({ verdict }) => verdict === 'limited')).toHaveLength(4_095);
}, 120_000);
