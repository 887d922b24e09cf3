import axios, { type AxiosInstance } from 'axios';
import { VirtualClock } from 'nestjs-sluice/testing';
import { createAccount } from '../src/vimeo/model.js';
import { createVimeo, startVimeo, type VimeoStandIn, type VimeoStandInOptions } from '../src/vimeo/stand-in.js';

const WALL = Date.UTC(2026, 6, 31, 17);
const accounts = [createAccount('101', 'Ada', 60), createAccount('102', 'Ben', 12)];

function world(
  options: VimeoStandInOptions = {},
): VimeoStandIn & { clock: VirtualClock; as: (id: string) => AxiosInstance } {
  const clock = new VirtualClock({ wall: WALL });
  const standIn = createVimeo({ accounts, ...options });
  const adapter = standIn.simulator.transport(clock);
  const as = (id: string): AxiosInstance =>
    axios.create({
      baseURL: 'https://api.vimeo.example',
      adapter,
      headers: { authorization: `bearer token-of-${id}` },
      validateStatus: () => true,
    });
  return { ...standIn, clock, as };
}

test('a profile holds the fields that were asked for', async () => {
  const { data } = await world()
    .as('101')
    .get('/users/102', { params: { fields: 'uri, name, metadata.connections.videos.total, unheard.of' } });
  expect(data).toEqual({ uri: '/users/102', name: 'Ben', metadata: { connections: { videos: { total: 12 } } } });
});

test('videos come in pages with links, sorted as asked', async () => {
  const http = world().as('101');
  const { data } = await http.get('/users/101/videos', {
    params: { page: 2, per_page: 25, sort: 'alphabetical', fields: 'name' },
  });
  expect(data).toMatchObject({ total: 60, page: 2, per_page: 25 });
  expect(data.data).toHaveLength(25);
  const names = data.data.map(({ name }: { name: string }) => name);
  expect(names).toEqual([...names].sort((a: string, b: string) => a.localeCompare(b)));
  expect(data.paging).toMatchObject({
    next: expect.stringContaining('page=3'),
    previous: expect.stringContaining('page=1'),
  });
  const last = await http.get(data.paging.last);
  expect([last.data.data.length, last.data.paging.next]).toEqual([10, null]);
});

test('modified_time, newest first; playable ones only; found by a word', async () => {
  const http = world().as('101');
  const { data } = await http.get('/users/101/videos', {
    params: {
      sort: 'modified_time',
      direction: 'desc',
      filter: 'playable',
      filter_playable: true,
      query: 'MARKET',
      per_page: 100,
    },
  });
  const times = data.data.map(({ modified_time }: { modified_time: string }) => modified_time);
  expect(times).toEqual([...times].sort().reverse());
  expect(data.data.length).toBeGreaterThan(0);
  for (const video of data.data) expect([video.is_playable, video.name.includes('market')]).toEqual([true, true]);
});

test("another user's private videos are not shown", async () => {
  const { as } = world();
  expect((await as('102').get('/users/102/videos')).data.total).toBe(12);
  expect((await as('101').get('/users/102/videos')).data.total).toBe(10);
});

test.each([{ page: 0 }, { per_page: 101 }, { sort: 'colour' }, { direction: 'up' }])(
  'the parameter in %j is refused',
  async (params) => {
    expect(await world().as('101').get('/users/101/videos', { params })).toMatchObject({
      status: 400,
      data: { error_code: 2204 },
    });
  },
);

test('strangers are refused, unknown users not found', async () => {
  const { as } = world();
  expect((await as('999').get('/me')).status).toBe(401);
  expect((await as('101').get('/users/999')).status).toBe(404);
  expect((await as('101').get('/users/999/videos')).status).toBe(404);
});

test('each user has a window of calls of its own; its reset is a date', async () => {
  const { clock, as } = world({ limit: 2, limits: { '102': 5 } });
  await clock.advance(500);
  await as('101').get('/me');
  await as('101').get('/me');
  const refused = await as('101').get('/me');
  expect(refused.status).toBe(429);
  expect(refused.headers).toMatchObject({
    'x-ratelimit-limit': '2',
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': '2026-07-31T17:01:01+00:00',
  });
  expect((await as('102').get('/me')).headers['x-ratelimit-remaining']).toBe('4');
  await clock.advance(60_000);
  expect((await as('101').get('/me')).status).toBe(200);
});

test('the switches simulate what goes wrong', async () => {
  const { switches, as, tokens } = world();
  const http = as('101');
  switches.simulateWrongId = true;
  expect((await http.get('/users/101')).data.uri).toBe('/users/102');
  switches.simulateMismatchedUser = true;
  expect((await http.get('/me')).data.uri).toBe('/users/102');
  switches.simulateFailRemoveToken = true;
  expect((await http.delete('/tokens')).status).toBe(500);
  switches.simulateFailRemoveToken = false;
  switches.simulateMissingToken = true;
  expect((await http.get('/me')).status).toBe(401);
  switches.simulateMissingToken = false;
  expect((await http.delete('/tokens')).status).toBe(204);
  expect([tokens.has('token-of-101'), (await http.get('/me')).status]).toEqual([false, 401]);
});

test('switches may be on from the start, by name', async () => {
  const { as } = world({ simulate: ['simulateWrongId'] });
  expect((await as('101').get('/users/101')).data.uri).toBe('/users/102');
  expect(() => createVimeo({ simulate: ['simulateNothing'] })).toThrow('simulateRateLimitError');
});

test('simulateRateLimitError refuses some 70 % of the calls and tells a date within the window', async () => {
  const { switches, as } = world({ limit: 10_000 });
  switches.simulateRateLimitError = true;
  const answers = await Promise.all(Array.from({ length: 500 }, () => as('101').get('/me')));
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length > 300 && refused.length < 400).toBe(true);
  for (const { headers } of refused) {
    const aheadMs = Date.parse(String(headers['x-ratelimit-reset'])) - WALL;
    expect(aheadMs >= 0 && aheadMs <= 60_000).toBe(true);
  }
  switches.simulateRateLimitError = false;
  expect((await as('101').get('/me')).status).toBe(200);
});

test('it listens on a port of its own', async () => {
  const server = await startVimeo();
  const { status } = await axios.get(`${server.url}/me`, {
    headers: { authorization: 'bearer token-of-101' },
    proxy: false,
  });
  await server.stop();
  expect(status).toBe(200);
});
