import { VirtualClock } from '../../testing/src/index.js';
import { AXIOS_COPIES, errorOf, until, World } from './axios-world.fixture.js';
import { type Arrival, hang, HttpProvider, ok, type Reply, reset, status } from './http-provider.fixture.js';

const ADAPTERS = ['http', 'fetch'] as const;

describe.each(AXIOS_COPIES)('law 18: observed calls of axios %s', (_version, axios) => {
  let provider: HttpProvider;
  let world: World;
  let clock: VirtualClock;
  beforeEach(() => {
    provider = new HttpProvider();
    clock = new VirtualClock();
  });
  afterEach(async () => {
    await world.end(provider);
    expect(clock.pendingTimers).toBe(0);
  });
  /** A contract that would change nearly everything, if it were enforced. */
  const start = async (adapter: string, ...script: Reply[]): Promise<void> => {
    await provider.start(...script);
    const observed = {
      mode: 'observe' as const,
      idempotency: { header: 'Idempotency-Key', methods: ['POST'] },
      auth: { credentials: () => ({ headers: { Authorization: 'Bearer ours' } }) },
      beforeSend: () => ({ 'X-Ours': '1' }),
      timeouts: { attempt: '1s' as const, connect: '1s' as const, total: '1s' as const },
    };
    world = new World({
      axios,
      clock,
      provider: observed,
      http: { baseURL: provider.url, adapter: adapter as 'http' },
    });
  };
  const bare = (adapter: string) => axios.create({ baseURL: provider.url, proxy: false, adapter: adapter as 'http' });
  const KEYED = { sluice: { idempotencyKey: 'key-1' } };

  it.each(ADAPTERS)('leave as they would without us, byte for byte (%s)', async (adapter) => {
    await start(adapter, ok);
    const send = async (client: typeof world.http): Promise<void> => {
      await client.get('/x', { params: { a: [1, 2] }, headers: { Authorization: 'Bearer mine' }, ...KEYED });
      await client.post('/x', { a: 'ü' }, KEYED);
      await client.put('/x', new URLSearchParams({ a: 'x y' }));
      await client.delete('/x', { timeout: 60_000, auth: { username: 'u', password: 'p' } });
    };
    await send(world.http);
    await send(bare(adapter));
    const told = provider.log.map(({ method, path, headers, body }): Omit<Arrival, 'port'> => {
      const { connection: _, ...others } = headers;
      return { method, path, headers: others, body };
    });
    expect(told.slice(0, 4)).toEqual(told.slice(4));
    expect(told).toHaveLength(8);
    expect(world.gate.granted).toBe(4);
  });

  it.each(ADAPTERS)(
    'do not wait for a gate that answers nothing, and are charged when it does (%s)',
    async (adapter) => {
      await start(adapter, ok);
      let open = (): void => undefined;
      world.gate.hold = new Promise((resolve) => (open = resolve));
      expect((await world.http.get('/x')).data).toEqual({ ok: true });
      expect(provider.log).toHaveLength(1);
      expect(world.gate.granted).toBe(0);
      open();
      await until(() => world.gate.granted === 1);
    },
  );

  it.each<[string, Reply, number]>([
    ['a refusal', status(429, {}, { 'retry-after': '1' }), 1],
    ['a failure', status(503), 1],
    ['a refused credential', status(401), 1],
  ])('are not sent again after %s, and end as without us', async (_name, reply) => {
    await start('http', reply);
    const [seen, plain] = [await errorOf(world.http.get('/x')), await errorOf(bare('http').get('/x'))];
    expect(seen).toBeInstanceOf(axios.AxiosError);
    expect([seen.code, seen.message, seen.response.status]).toEqual([plain.code, plain.message, plain.response.status]);
    expect(seen.sluice).toMatchObject({ reason: null, attempts: 1 });
    expect(provider.log).toHaveLength(2);
  });

  it('end as without us where the connection breaks: a write is no OUTCOME_UNKNOWN of ours', async () => {
    await start('http', reset);
    const [seen, plain] = [await errorOf(world.http.post('/x', {})), await errorOf(bare('http').post('/x', {}))];
    expect([seen.code, seen.message, seen.name]).toEqual([plain.code, plain.message, plain.name]);
    expect(provider.log).toHaveLength(2);
  });

  it('have no time limit of ours, and the one that Axios was given', async () => {
    await start('http', hang);
    let over = false;
    const failing = errorOf(world.http.get('/x', { timeout: 300 })).finally(() => (over = true));
    await until(() => provider.log.length === 1);
    await clock.advance(3_600_000);
    expect(over).toBe(false);
    const error = await failing;
    expect(error).toMatchObject({ code: 'ECONNABORTED', message: 'timeout of 300ms exceeded' });
  });

  it.each(ADAPTERS)('follow redirects as Axios would, each hop charged (%s)', async (adapter) => {
    await start(adapter, status(302, '', { location: '/b' }), ok);
    expect((await world.http.get('/a')).data).toEqual({ ok: true });
    expect(provider.paths).toEqual(['GET /a', 'GET /b']);
    expect(world.gate.granted).toBe(2);
  });

  it('are never shared', async () => {
    await provider.start(ok);
    const demand = { singleFlight: true, requestReuse: true };
    world = new World({ axios, clock, provider: { mode: 'observe', demand }, http: { baseURL: provider.url } });
    await Promise.all([world.http.get('/x'), world.http.get('/x')]);
    expect(provider.log).toHaveLength(2);
  });

  it('end on the wire when their caller gives up', async () => {
    await start('http', hang);
    const controller = new AbortController();
    const failing = errorOf(world.http.get('/x', { signal: controller.signal }));
    await until(() => provider.log.length === 1);
    controller.abort();
    expect(axios.isCancel(await failing)).toBe(true);
    await until(() => provider.sockets.size === 0);
  });
});
