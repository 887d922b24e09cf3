import { world } from './world.fixture.js';

test('down answers 503 after its time, before any limit is counted; healed, the provider is as before', async () => {
  const { clock, simulator, http } = world({ limits: [{ kind: 'sliding-window', limit: 1, perMs: 1_000 }] });
  simulator.faults = { down: { afterMs: 40, retryAfter: '7' } };
  for (let i = 0; i < 3; i += 1) {
    const { status, headers } = await clock.advanceUntil(http.get('/'));
    expect([status, headers['retry-after']]).toEqual([503, '7']);
  }
  expect(clock.monoMs()).toBe(120);
  simulator.faults = {};
  expect((await http.get('/')).status).toBe(200);
});

test('faults can be for some requests only', async () => {
  const { simulator, http } = world();
  simulator.faults = { applies: ({ path }) => path.endsWith('/broken'), reset: 'before' };
  expect((await http.get('/well')).status).toBe(200);
  await expect(http.get('/broken')).rejects.toMatchObject({ code: 'ECONNRESET', isAxiosError: true });
});

test('a share of requests is refused by chance, the same ones in every run', async () => {
  const run = async (): Promise<number[]> => {
    const { http } = world({
      faults: { limited: { share: 0.7, waitMs: (random) => Math.floor(random.next() * 60) * 1_000 } },
    });
    const statuses: number[] = [];
    for (let i = 0; i < 1_000; i += 1) statuses.push((await http.get('/')).status);
    return statuses;
  };
  const first = await run();
  const refused = first.filter((status) => status === 429).length;
  expect(refused > 650 && refused < 750).toBe(true);
  expect(await run()).toEqual(first);
});

test('malformed hints and a skewed clock', async () => {
  const { simulator, http } = world({
    limits: [{ kind: 'fixed-window', limit: 1, perMs: 60_000 }],
    refusal: { retryAfter: 'date' },
    quotaHeaders: 'x-ratelimit-date',
  });
  await http.get('/');
  simulator.faults = { clockSkewMs: -3_600_000 };
  expect((await http.get('/')).headers).toMatchObject({
    date: 'Fri, 31 Jul 2026 16:00:00 GMT',
    'retry-after': 'Fri, 31 Jul 2026 16:01:00 GMT',
  });
  simulator.faults = { malformedHeaders: true };
  expect((await http.get('/')).headers).toMatchObject({
    'retry-after': 'soon',
    'x-ratelimit-reset': 'Wed, 99 Foo',
    'x-ratelimit-remaining': 'plenty',
  });
});

test("the provider's clock does not step with its client's wall", async () => {
  const { clock, http } = world();
  clock.stepWall(3_600_000);
  expect((await http.get('/')).headers['date']).toBe('Fri, 31 Jul 2026 17:00:00 GMT');
});
