import { world } from './world.fixture.js';

test('figures in a body are those of the moment at which the answer leaves, after what was charged too much came back', async () => {
  const { clock, http } = world({
    limits: [{ kind: 'token-bucket', burst: 100, limit: 10, perMs: 1_000, cost: () => 50, actualCost: () => 20 }],
    latencyMs: 1_000,
    routes: { 'GET /v1/shop': () => ({ status: 200, body: { name: 'x' } }) },
    quotaBody: (body, { tightest }, { path }) => ({ ...(body as object), left: tightest?.remaining, path }),
  });
  const first = http.get('/shop');
  const second = http.get('/shop');
  await clock.advance(500);
  const refused = http.get('/shop');
  const [a, b, c] = await clock.advanceUntil(Promise.all([first, second, refused]));
  // 100 - 50 - 50, 10 more after a second, and then 30 come back with each of the two answers.
  expect([a.data, b.data]).toEqual([
    { name: 'x', left: 40, path: '/v1/shop' },
    { name: 'x', left: 70, path: '/v1/shop' },
  ]);
  expect([c.status, c.data]).toEqual([429, { error: 'rate limited', left: 5, path: '/v1/shop' }]);
});

test('a body that no limit stands behind is told as it is', async () => {
  const { clock, http, simulator } = world({ quotaBody: () => ({ changed: true }) });
  simulator.faults = { down: { status: 503 } };
  expect((await clock.advanceUntil(http.get('/'))).data).toBe('');
});
