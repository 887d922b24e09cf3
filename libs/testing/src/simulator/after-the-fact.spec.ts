import { world } from './world.fixture.js';

const PER_MS = 60_000;

const routes = {
  'POST /v1/ask': (request: { body: unknown }) => ({ status: 200, body: request.body }),
};
const charges = {
  cost: (request: { body: unknown }) => (request.body as { most: number }).most,
  actualCost: (_: unknown, answer: { body?: unknown }) => (answer.body as { used: number }).used,
};

test.each(['token-bucket', 'sliding-window', 'fixed-window'] as const)(
  'a %s is charged what was announced, and what it was when the answer leaves',
  async (kind) => {
    const limit = { ...charges, limit: 100, perMs: PER_MS };
    const { clock, http } = world({
      limits: [kind === 'token-bucket' ? { ...limit, kind, burst: 100 } : { ...limit, kind }],
      routes,
      latencyMs: 3,
    });
    const ask = (most: number, used: number) => http.post('/ask', { most, used });
    const first = ask(80, 30);
    const early = ask(40, 40);
    await clock.advance(3);
    expect([(await first).status, (await early).status]).toEqual([200, 429]);
    const next = ask(40, 40);
    await clock.advance(3);
    expect((await next).status).toBe(200);
  },
);

test('a token bucket owes what an answer did cost beyond what was left', async () => {
  const { clock, simulator, http } = world({
    limits: [{ ...charges, kind: 'token-bucket', burst: 100, limit: 100, perMs: 100_000 }],
    routes,
  });
  await http.post('/ask', { most: 1, used: 150 });
  expect((await http.post('/ask', { most: 1, used: 1 })).headers['retry-after']).toBe('51');
  await clock.advance(50_999);
  await http.post('/ask', { most: 1, used: 1 });
  await clock.advance(1);
  await http.post('/ask', { most: 1, used: 1 });
  expect(simulator.log.map(({ verdict }) => verdict)).toEqual(['accepted', 'limited', 'limited', 'accepted']);
});

test('after a refusal all of its partition is refused for the penalty, which refused calls do not prolong', async () => {
  const { clock, http } = world({
    limits: [
      { kind: 'sliding-window', limit: 2, perMs: 1_000, penaltyMs: 30_000, partition: ({ path }) => path },
      { kind: 'concurrency', limit: 5, penaltyMs: 1_000 },
    ],
  });
  const status = async (path: string) => (await http.get(path)).status;
  expect([await status('/a'), await status('/a'), await status('/a'), await status('/b')]).toEqual([
    200, 200, 429, 200,
  ]);
  await clock.advance(29_999);
  expect([await status('/a'), await status('/b')]).toEqual([429, 200]);
  await clock.advance(1);
  expect([await status('/a'), await status('/a')]).toEqual([200, 200]);
});
