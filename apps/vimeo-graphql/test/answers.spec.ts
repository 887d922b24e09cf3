import { codesOf, runApp, type RunningApp } from './graphql-app.fixture.js';

let app: RunningApp;

beforeAll(async () => {
  // Without chance no backoff is waited for.
  app = await runApp({ rateLimit: { random: { next: () => 0 } } });
});

afterAll(() => app.close());

afterEach(() => {
  for (const name of Object.keys(app.vimeo.switches))
    app.vimeo.switches[name as keyof typeof app.vimeo.switches] = false;
});

const arrivals = (): number => app.vimeo.simulator.log.length;

test('a user sees the own profile, its id taken from the uri', async () => {
  expect(await app.ask('user-101', '{ user { id name createdTime } }')).toEqual({
    data: { user: { id: '101', name: 'Ada', createdTime: '2026-01-01T00:00:00+00:00' } },
  });
});

test("another user's profile and videos may be asked for, with the caller's own token", async () => {
  const before = arrivals();
  const { data } = await app.ask('user-101', '{ user(id: "102") { id name videos(limit: 50) { total } } }');
  // Ben has 12 videos: 2 are private, 1 is not playable.
  expect(data.user).toMatchObject({ id: '102', name: 'Ben', videos: { total: 9 } });
  const seen = app.vimeo.simulator.log.slice(before);
  expect(seen.map(({ path }) => path)).toEqual(['/users/102', '/users/102/videos']);
  for (const { headers } of seen) expect(headers['authorization']).toBe('Bearer token-of-101');
});

test('limit and offset become pages, in the order asked for', async () => {
  const before = arrivals();
  const { data } = await app.ask(
    'user-101',
    '{ videos(limit: 10, offset: 20, sort: DURATION, direction: ASC) { total hasMore items { id duration } } }',
  );
  expect(app.vimeo.simulator.log[before]?.query).toMatchObject({
    page: '3',
    per_page: '10',
    sort: 'duration',
    direction: 'asc',
    filter: 'playable',
  });
  const durations = data.videos.items.map(({ duration }: { duration: number }) => duration);
  expect(durations).toHaveLength(10);
  expect(durations).toEqual([...durations].sort((a: number, b: number) => a - b));
  expect(data.videos.hasMore).toBe(true);
  for (const { id } of data.videos.items) expect(id).toMatch(/^101\d{4}$/);
});

test('videos are searched by words', async () => {
  const { data } = await app.ask('user-101', '{ videos(limit: 100, search: "harbour") { items { name } hasMore } }');
  expect(data.videos.hasMore).toBe(false);
  expect(data.videos.items.length).toBeGreaterThan(0);
  for (const { name } of data.videos.items) expect(name).toContain('Harbour');
});

test.each(['limit: 0', 'limit: 101', 'limit: 10, offset: 5', 'limit: 10, offset: -10'])(
  'videos(%s) is bad input and reaches nobody',
  async (args) => {
    const before = arrivals();
    expect(codesOf(await app.ask('user-101', `{ videos(${args}) { total } }`))).toEqual(['BAD_USER_INPUT']);
    expect(arrivals()).toBe(before);
  },
);

test('the same profile by the callback-style SDK', async () => {
  expect((await app.ask('user-102', '{ me { id name } }')).data).toEqual({ me: { id: '102', name: 'Ben' } });
});

test('nobody named, or no token kept: an error with a code, and no call', async () => {
  const before = arrivals();
  expect(codesOf(await app.ask(null, '{ user { id } }'))).toEqual(['UNAUTHENTICATED']);
  expect(codesOf(await app.ask('stranger', '{ user { id } }'))).toEqual(['VIMEO_TOKEN_MISSING']);
  expect(codesOf(await app.ask('stranger', '{ videos { total } }'))).toEqual(['VIMEO_TOKEN_MISSING']);
  expect(arrivals()).toBe(before);
});

test("a kept token that is another user's is never used", async () => {
  const before = arrivals();
  app.tokens.keep({ userId: 'mixed-up' }, { userId: 'user-101', vimeoId: '101', accessToken: 'token-of-101' });
  expect(codesOf(await app.ask('mixed-up', '{ user { id } }'))).toEqual(['VIMEO_TOKEN_MISMATCH']);
  expect(arrivals()).toBe(before);
});

test.each(['{ user { id } }', '{ me { id } }'])(
  '%s with a token that Vimeo does not know ends after one call',
  async (query) => {
    app.vimeo.switches.simulateMissingToken = true;
    const before = arrivals();
    expect(codesOf(await app.ask('user-101', query))).toEqual(['VIMEO_TOKEN_REJECTED']);
    expect(arrivals()).toBe(before + 1);
  },
);

test('an answer for another id than asked is an error, never data', async () => {
  app.vimeo.switches.simulateWrongId = true;
  const answer = await app.ask('user-101', '{ user { id name } }');
  expect([answer.data, codesOf(answer)]).toEqual([null, ['VIMEO_WRONG_ANSWER']]);
  expect(answer.errors?.[0]?.message).toBe('Asked Vimeo for user 101, got 102.');
});

test('an id that Vimeo does not know', async () => {
  expect(codesOf(await app.ask('user-101', '{ user(id: "999") { id } }'))).toEqual(['VIMEO_NOT_FOUND']);
});

test('an account is connected once its token is known to be of that user, and stays so', async () => {
  expect(codesOf(await app.ask('newcomer', 'mutation { connectVimeo(accessToken: "unheard-of") { id } }'))).toEqual([
    'VIMEO_TOKEN_REJECTED',
  ]);
  expect(
    (await app.ask('newcomer', 'mutation { connectVimeo(accessToken: "token-of-103") { id name } }')).data.connectVimeo
      .id,
  ).toBe('103');
  expect((await app.ask('newcomer', '{ user { id } }')).data.user.id).toBe('103');
  app.vimeo.switches.simulateMismatchedUser = true;
  expect(codesOf(await app.ask('newcomer', 'mutation { connectVimeo(accessToken: "token-of-103") { id } }'))).toEqual([
    'VIMEO_TOKEN_MISMATCH',
  ]);
});

test('no error tells a token', async () => {
  app.vimeo.switches.simulateMissingToken = true;
  const answer = await app.ask('user-101', '{ user { id } me { id } videos { total } }');
  expect(JSON.stringify(answer)).not.toContain('token-of-');
});

test('a token that cannot be taken back stays kept; one that is taken back is forgotten', async () => {
  app.vimeo.switches.simulateFailRemoveToken = true;
  // A query that failed early may still be at work.
  const removals = (): number => app.vimeo.simulator.log.filter(({ method }) => method === 'DELETE').length;
  const before = removals();
  expect(codesOf(await app.ask('user-103', 'mutation { disconnectVimeo }'))).toEqual(['VIMEO_TOKEN_NOT_REMOVED']);
  expect(removals() - before).toBeLessThanOrEqual(3);
  expect(app.tokens.find({ userId: 'user-103' })).toBeDefined();
  app.vimeo.switches.simulateFailRemoveToken = false;
  expect((await app.ask('user-103', 'mutation { disconnectVimeo }')).data).toEqual({ disconnectVimeo: true });
  expect(app.tokens.find({ userId: 'user-103' })).toBeUndefined();
});
