import { createAccount } from '../../provider-simulator/src/vimeo/model.js';
import { codesOf, runApp, type RunningApp, type RunningAppOptions } from './graphql-app.fixture.js';

let app: RunningApp;

const started = async (options: RunningAppOptions): Promise<void> => {
  app = await runApp(options);
};

afterEach(() => app.close());

const IDS = Array.from({ length: 10 }, (_, i) => String(201 + i));
const accounts = IDS.map((id, i) => createAccount(id, `User ${id}`, 10 + i));

test('ten parallel operations of ten users never mix tokens, tenants or answers', async () => {
  await started({ vimeo: { accounts, latencyMs: 5 } });
  const asked = IDS.flatMap((id) => Array.from({ length: 5 }, () => id));
  const answers = await Promise.all(
    asked.map((id) => app.ask(`user-${id}`, '{ user { id name videos(limit: 50) { items { id } } } me { id } }')),
  );
  answers.forEach(({ data, errors }, i) => {
    const id = asked[i] as string;
    expect(errors).toBeUndefined();
    expect([data.user.id, data.user.name, data.me.id]).toEqual([id, `User ${id}`, id]);
    expect(data.user.videos.items.length).toBeGreaterThan(0);
    for (const video of data.user.videos.items) expect(video.id.startsWith(id)).toBe(true);
  });
  const { log } = app.vimeo.simulator;
  expect(log.length).toBeGreaterThanOrEqual(IDS.length * 3);
  for (const { path, headers, verdict } of log) {
    expect(verdict).toBe('accepted');
    const id = /^\/users\/(\d+)/.exec(path)?.[1];
    if (id !== undefined) expect(headers['authorization']).toBe(`Bearer token-of-${id}`);
  }
});

test('ten users who ask for the same thing at once each ask with their own token, and see what they may', async () => {
  await started({ vimeo: { accounts, latencyMs: 20 } });
  const answers = await Promise.all(IDS.map((id) => app.ask(`user-${id}`, '{ videos(userId: "201") { total } }')));
  // User 201 has 10 videos: one is not playable, two are private and seen by the owner alone.
  expect(answers.map(({ data }) => data.videos.total)).toEqual([9, ...Array.from({ length: 9 }, () => 7)]);
  const tokens = app.vimeo.simulator.log.map(({ headers }) => headers['authorization']);
  expect(tokens.sort()).toEqual(IDS.map((id) => `Bearer token-of-${id}`));
});

test('a user whose window is used up waits for the reset; another is served at once', async () => {
  const windowMs = 1_000;
  await started({ vimeo: { accounts, limit: 4, windowMs }, contract: { limit: 4, window: windowMs, maxWait: '61s' } });
  const [busy, idle] = ['user-201', 'user-202'];
  const answers = Promise.all(Array.from({ length: 6 }, (_, i) => app.ask(busy, `{ user(id: "${201 + i}") { id } }`)));
  expect((await app.ask(idle, '{ user { id } }')).data.user.id).toBe('202');
  for (const { errors } of await answers) expect(errors).toBeUndefined();

  const { log } = app.vimeo.simulator;
  const mine = log.filter(({ headers }) => headers['authorization'] === 'Bearer token-of-201');
  const other = log.find(({ headers }) => headers['authorization'] === 'Bearer token-of-202');
  expect(mine.map(({ verdict }) => verdict)).toEqual(Array.from({ length: 6 }, () => 'accepted'));
  expect((mine[4]?.atMs ?? 0) - (mine[0]?.atMs ?? 0)).toBeGreaterThanOrEqual(windowMs);
  expect(other?.atMs).toBeLessThan(mine[4]?.atMs ?? 0);
});

test('a limit that the contract does not know is learned from the refusal: the call waits for the date of the reset', async () => {
  await started({ vimeo: { accounts, limit: 2, windowMs: 1_000 } });
  const answers = await Promise.all(
    ['201', '202', '203'].map((id) => app.ask('user-201', `{ user(id: "${id}") { id } }`)),
  );
  for (const { errors } of answers) expect(errors).toBeUndefined();
  const { log } = app.vimeo.simulator;
  expect(log.filter(({ verdict }) => verdict === 'accepted')).toHaveLength(3);
  expect((log.at(-1)?.atMs ?? 0) - (log[0]?.atMs ?? 0)).toBeGreaterThanOrEqual(1_000);
});

test('a wait beyond 61 s is an error at once that tells when to come again, for the calls that follow too', async () => {
  await started({ vimeo: { accounts } });
  app.vimeo.simulator.faults = { limited: { share: 1, waitMs: 600_000 } };
  const startedAt = performance.now();
  const first = await app.ask('user-201', '{ user { id } }');
  const second = await app.ask('user-201', '{ user(id: "202") { id } }');
  expect(performance.now() - startedAt).toBeLessThan(5_000);
  expect([codesOf(first), codesOf(second)]).toEqual([['UPSTREAM_LIMITED'], ['PAUSED']]);
  for (const { errors = [] } of [first, second]) {
    const retryAfterMs = Number(errors[0]?.extensions['retryAfterMs']);
    expect(retryAfterMs > 590_000 && retryAfterMs < 602_000).toBe(true);
  }
  expect(app.vimeo.simulator.log).toHaveLength(1);
});

test('with 70 % of the calls refused, each call is sent three times at most and ends in data or a clear error', async () => {
  await started({ vimeo: { accounts, windowMs: 100 } });
  app.vimeo.switches.simulateRateLimitError = true;
  const answers = await Promise.all(IDS.map((id) => app.ask(`user-${id}`, '{ user { id } }')));
  let refusedForGood = 0;
  for (const id of IDS) {
    const answer = answers[IDS.indexOf(id)] as (typeof answers)[number];
    const seen = app.vimeo.simulator.log.filter(({ path }) => path === `/users/${id}`);
    expect(seen.length >= 1 && seen.length <= 3).toBe(true);
    const last = seen.at(-1)?.verdict;
    if (last === 'accepted') expect(answer.data.user.id).toBe(id);
    else {
      refusedForGood += 1;
      expect([seen.length, codesOf(answer)]).toEqual([3, ['UPSTREAM_LIMITED']]);
    }
  }
  expect(refusedForGood).toBeLessThan(IDS.length);
  expect(app.vimeo.simulator.log.some(({ limitedBy }) => limitedBy === 'chance')).toBe(true);
}, 120_000);

test('the callback-style SDK is limited and retried as Axios is', async () => {
  await started({ vimeo: { accounts, limit: 2, windowMs: 1_000 } });
  const answers = await Promise.all([1, 2, 3].map(() => app.ask('user-201', '{ me { id } }')));
  for (const { data, errors } of answers) expect([data?.me.id, errors]).toEqual(['201', undefined]);
  expect(app.vimeo.simulator.log.filter(({ verdict }) => verdict === 'accepted')).toHaveLength(3);
});
