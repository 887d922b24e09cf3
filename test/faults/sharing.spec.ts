import axios from 'axios';
import { slidingWindow, tokenBucket } from 'nestjs-sluice';
import { firstValueFrom, type Observable } from 'rxjs';
import { closeWorlds, world } from './faults.fixture.js';

afterEach(closeWorlds);

const told = (sent: readonly { readonly told: string }[]): string[] => sent.map((each) => each.told);

test('case 47: of a thousand calls at once that do not wait exactly five are sent (in one process)', async () => {
  const opened = await world({
    p: { limits: [tokenBucket({ burst: 5, limit: 5, per: '1s' })], queue: { maxWait: 1 } },
  });
  const calls = opened.calls(1000);
  await opened.clock.advance(1000);
  expect(opened.log).toEqual([0, 0, 0, 0, 0]);
  expect(told(calls).filter((each) => each === '200')).toHaveLength(5);
  expect(told(calls).filter((each) => each === 'QUEUE_WAIT_EXCEEDED')).toHaveLength(995);
  await opened.leavesNothing();
});

test('case 48: every way to send passes admission', async () => {
  const opened = await world();
  const { http } = opened.caller;
  const ref = http.axiosRef;
  const ways: (() => Observable<unknown> | Promise<unknown>)[] = [
    () => http.request({ url: '/x' }),
    () => http.get('/x'),
    () => http.delete('/x'),
    () => http.head('/x'),
    () => http.post('/x', {}),
    () => http.put('/x', {}),
    () => http.patch('/x', {}),
    () => ref('/x'),
    () => ref({ url: '/x' }),
    () => ref.request({ url: '/x' }),
    () => ref.options('/x'),
    () => ref.postForm('/x', { a: 1 }),
    () => ref.get('/x', { responseType: 'stream' }).then(({ data }) => void data.resume()),
    () => ref.get('/x', { adapter: opened.provider.transport(opened.clock) }),
  ];
  for (const [index, way] of ways.entries()) {
    const sent = way();
    await opened.clock.advanceUntil(sent instanceof Promise ? sent : firstValueFrom(sent));
    expect([opened.provider.log.length, opened.ofType('granted').length]).toEqual([index + 1, index + 1]);
  }
  await opened.leavesNothing();
});

describe('case 49: a limit belongs to the account, not to the client object', () => {
  const limits = [slidingWindow({ limit: 10, per: '1s', countedBy: ['account'] })];
  const most = (times: readonly number[]): number =>
    Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + 1000).length));

  test('three clients of one account, one of them made anew, share ten a second', async () => {
    const opened = await world({ p: { dimensions: ['account'], limits } });
    const client = () => {
      const adapter = opened.provider.transport(opened.clock);
      return opened.limits.attach('crm', axios.create({ baseURL: 'http://crm.test', adapter }));
    };
    const clients = [client(), client(), client()];
    const partition = { account: 'a' };
    const burst = (): void => {
      for (const each of clients) {
        for (let i = 0; i < 10; i += 1) opened.watch(each.get('/x', { sluice: { partition } }));
      }
    };
    burst();
    await opened.clock.advance(500);
    opened.limits.detach(clients[1]!);
    clients[1] = client();
    burst();
    await opened.clock.advance(10_000);
    expect(opened.log).toHaveLength(60);
    expect(most(opened.log)).toBe(10);
    expect(opened.log.at(-1)).toBe(5000);
    await opened.leavesNothing();
  });

  test('two accounts have ten each', async () => {
    const opened = await world({ p: { dimensions: ['account'], limits } });
    for (const account of ['a', 'b']) opened.calls(11, `/${account}`, { partition: { account } });
    await opened.clock.advance(999);
    expect(opened.log).toEqual(Array(20).fill(0));
    await opened.clock.advance(1);
    expect(opened.log.slice(20)).toEqual([1000, 1000]);
    await opened.leavesNothing();
  });
});

test('case 50: a more urgent call that comes later is sent next', async () => {
  const opened = await world({
    p: { limits: [tokenBucket({ burst: 1, limit: 1, per: '1s' })], lanes: { high: {}, low: {} } },
  });
  opened.calls(5, '/low', { lane: 'low' });
  await opened.clock.advance(1500);
  opened.call('/high', { lane: 'high' });
  await opened.clock.advance(10_000);
  expect(opened.provider.log.map(({ path, atMs }) => [path, Math.round(atMs)])).toEqual([
    ['/low', 0],
    ['/low', 1000],
    ['/high', 2000],
    ['/low', 3000],
    ['/low', 4000],
    ['/low', 5000],
  ]);
  await opened.leavesNothing();
});

test.each([
  '/contacts/./search',
  '/contacts/x/../search',
  '/contacts/%2E/search',
  '/contacts\\search',
  '/contacts/%73earch',
  '/contacts/search ',
])('case 48, law 2: a limit of a route counts what arrives there, however its path was written: %j', async (url) => {
  const limits = [tokenBucket({ burst: 1, limit: 1, per: '1h', routes: ['search'] })];
  const opened = await world({ p: { routes: { search: 'GET /contacts/search' }, limits, queue: { maxWait: '1s' } } });
  const [plain, odd] = [opened.call('/contacts/search'), opened.call(url)];
  await opened.clock.advance(1000);
  expect([plain.told, odd.told]).toEqual(['200', 'QUEUE_WAIT_EXCEEDED']);
  expect(opened.provider.log.map(({ path }) => path)).toEqual(['/contacts/search']);
  await opened.leavesNothing();
});

test.each(['/search/../invoices', '/search/%2e%2e/invoices', '/search/..\\invoices'])(
  'law 7: a path that leads out of what is listed as safe is that of a write: %j',
  async (url) => {
    const opened = await world({ s: '503...', p: { safe: ['GET *', 'POST /search/*rest'] } });
    const sent = opened.call({ url, method: 'post', data: {} });
    const listed = opened.call({ url: '/search/a%20b', method: 'post', data: {} });
    await opened.clock.advance(60_000);
    expect([sent.told, listed.told]).toEqual(['503 unsafe', '503 attempts-exhausted']);
    expect(opened.provider.log.filter(({ path }) => path === '/invoices')).toHaveLength(1);
    await opened.leavesNothing();
  },
);
