import { VirtualClock } from '../../testing/src/index.js';
import { AXIOS_COPIES, errorOf, until, World } from './axios-world.fixture.js';
import { hang, HttpProvider, ok, type Reply, reset, stall, status } from './http-provider.fixture.js';

describe.each(AXIOS_COPIES)('over fetch, axios %s', (_version, axios) => {
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
  const start = async (attempts: number, ...script: Reply[]): Promise<void> => {
    await provider.start(...script);
    const contract = { retry: { maxAttempts: attempts }, timeouts: { attempt: '10s' as const } };
    world = new World({ axios, clock, provider: contract, http: { baseURL: provider.url, adapter: 'fetch' } });
  };
  // The platform's fetch takes seconds to let go of a socket: each road is looked at to its end once.
  const ends = (): string[] => world.gate.settlements.map(({ end }) => end);

  it.each([
    ['before the headers', hang],
    ['within the body', stall('{"half":')],
  ])('a time limit %s tears the request down', async (_name, reply) => {
    await start(1, reply);
    const failing = errorOf(world.http.get('/x', { timeout: 500 }));
    await until(() => provider.log.length === 1);
    await clock.advance(499);
    expect(provider.sockets.size).toBe(1);
    await clock.advance(1);
    expect(await failing).toMatchObject({ code: 'ATTEMPT_TIMEOUT', provider: 'crm' });
    if (reply === hang) await until(() => provider.sockets.size === 0);
    expect(ends()).toEqual(['no-answer']);
  });

  it.each(['ftp://127.0.0.1/x', 'foo://127.0.0.1/bar', 'file:///etc/hosts'])(
    'refuses %s unsent: it would never come',
    async (url) => {
      await start(3, ok);
      const error = await errorOf(world.http.get(url));
      expect(error).toMatchObject({ code: 'CONFIG', message: expect.stringContaining('scheme') });
      expect(world.gate.granted).toBe(0);
      expect((await world.http.get('data:text/plain,x')).status).toBe(200);
    },
  );

  it('a time limit of the contract holds where Axios has none, and a wider one of Axios does not count', async () => {
    await start(1, hang);
    for (const config of [{}, { timeout: 60_000 }]) {
      const arrived = provider.log.length;
      const failing = errorOf(world.http.get('/x', config));
      await until(() => provider.log.length > arrived);
      await clock.advance(10_000);
      expect(await failing).toMatchObject({ code: 'ATTEMPT_TIMEOUT' });
    }
    expect(provider.log).toHaveLength(2);
  });

  it('a read whose time was over goes again, with its whole time', async () => {
    await start(2, hang, hang);
    const failing = errorOf(world.http.get('/x', { timeout: 500 }));
    await until(() => provider.log.length === 1);
    await clock.advance(500);
    await until(() => clock.pendingTimers > 0);
    await clock.advance(1000);
    await until(() => provider.log.length === 2);
    await clock.advance(500);
    expect(await failing).toMatchObject({ code: 'ATTEMPT_TIMEOUT', attempts: 2 });
  });

  it('law 7: a bare write whose time was over may have happened, and is not sent again', async () => {
    await start(5, hang);
    const failing = errorOf(world.http.post('/x', {}, { timeout: 500 }));
    await until(() => provider.log.length === 1);
    await clock.advance(500);
    expect(await failing).toMatchObject({ code: 'OUTCOME_UNKNOWN', attempts: 1 });
    expect(provider.log).toHaveLength(1);
  });

  it('law 7: a bare write that was reset may have happened, and is not sent again', async () => {
    await start(5, reset);
    expect(await errorOf(world.http.post('/x', {}))).toMatchObject({ code: 'OUTCOME_UNKNOWN', attempts: 1 });
    expect(provider.log).toHaveLength(1);
  });

  it.each<[string, Reply]>([
    ['before the headers', hang],
    ['within the body', stall('{"half":')],
  ])('law 17: a read whose caller gives up %s is torn down, and not sent again', async (_name, reply) => {
    await start(5, reply);
    const controller = new AbortController();
    const failing = errorOf(world.http.get('/x', { signal: controller.signal }));
    await until(() => provider.log.length === 1);
    controller.abort(new Error('enough'));
    const error = await failing;
    expect(axios.isCancel(error)).toBe(true);
    expect(error).toBeInstanceOf(axios.CanceledError);
    expect(error.cause).toMatchObject({ message: 'enough' });
    if (reply !== hang) await until(() => provider.sockets.size === 0);
    expect(provider.log).toHaveLength(1);
  });

  it('law 17: a write whose caller gives up ends on the wire in its own time, and keeps its permit until then', async () => {
    let answer = (): void => undefined;
    await start(5, (_request, response) => (answer = () => void response.end('{}')));
    const controller = new AbortController();
    const failing = errorOf(world.http.post('/x', {}, { signal: controller.signal }));
    await until(() => provider.log.length === 1);
    controller.abort();
    expect(axios.isCancel(await failing)).toBe(true);
    expect(world.gate.open).toBe(1);
    answer();
    await until(() => world.gate.open === 0);
    expect(ends()).toEqual(['answered']);
  });

  it('a call that is given up before it starts sends nothing', async () => {
    await start(5, ok);
    const error = await errorOf(world.http.get('/x', { signal: AbortSignal.abort() }));
    expect(axios.isCancel(error)).toBe(true);
    expect(provider.log).toHaveLength(0);
  });

  it('an error of the provider is given with the config of its caller', async () => {
    await start(1, status(404, { why: 'gone' }));
    const error = await errorOf(world.http.get('/x'));
    expect(error).toMatchObject({ code: 'ERR_BAD_REQUEST', response: { status: 404, data: { why: 'gone' } } });
    expect(error.config).toMatchObject({ url: '/x', adapter: expect.anything() });
    expect(error.config.fetchOptions).toBeUndefined();
    expect(error.config.signal).toBeUndefined();
  });

  it('a request without an absolute URL is not sent', async () => {
    await start(5, ok);
    expect(await errorOf(world.http.post('/x', {}, { baseURL: '' }))).toMatchObject({ code: 'CONFIG' });
    expect(world.gate.granted).toBe(0);
  });
});
