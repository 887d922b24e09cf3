import { Agent } from 'node:http';
import type { CreateAxiosDefaults } from 'axios';
import { AXIOS_COPIES, errorOf, until, World } from './axios-world.fixture.js';
import { attachAxios } from './index.js';
import { HttpProvider, ok, status, type Reply } from './http-provider.fixture.js';
import { enterInbound } from '../../core/src/index.js';
import { SeededRandom } from '../../testing/src/index.js';

describe.each(AXIOS_COPIES)('equal reads of axios %s at once', (_version, axios) => {
  let provider: HttpProvider;
  let world: World;
  let release = (): void => undefined;
  beforeEach(() => (provider = new HttpProvider()));
  afterEach(async () => {
    world.detach();
    await provider.stop();
    expect(world.gate).toMatchObject({ open: 0, endedTwice: 0 });
  });
  /** Holds every answer until it is released. */
  const start = async (reply: Reply = ok, http: CreateAxiosDefaults = {}): Promise<void> => {
    const held: (() => void)[] = [];
    release = () => held.splice(0).forEach((answer) => answer());
    await provider.start((request, response) => void held.push(() => reply(request, response)));
    const demand = { singleFlight: true };
    world = new World({
      axios,
      http: { baseURL: provider.url, ...http },
      provider: { demand, dimensions: ['account'] },
    });
  };
  /** The number of sends that these reads lead to. */
  const sends = async (...reads: (() => Promise<unknown>)[]): Promise<number> => {
    const all = Promise.all(reads.map((read) => read()));
    // Nothing but promises lies between a read and its grant.
    await new Promise((resolve) => setImmediate(resolve));
    const count = world.gate.granted;
    await until(() => provider.log.length >= count);
    expect(provider.log).toHaveLength(count);
    release();
    await all;
    return count;
  };
  const get =
    (url: string, config: object = {}) =>
    () =>
      world.http.get(url, { ...config, sluice: { partition: { account: '1' }, ...(config as any).sluice } });

  it('are one request, and each caller gets an answer and a config of its own', async () => {
    await start();
    const answers: any[] = [];
    const read = (id: number) => async () => answers.push(await get('/x', { id })());
    expect(await sends(read(1), read(2), read(3))).toBe(1);
    const [a, b, c] = answers;
    a.data.ok = 'edited';
    a.headers.set('x-mine', '1');
    expect(b.data).toEqual({ ok: true });
    expect(c.headers['x-mine']).toBeUndefined();
    expect(answers.map(({ config }) => config.id).sort()).toEqual([1, 2, 3]);
    expect(answers.every(({ sluice }) => sluice.attempts === 1)).toBe(true);
  });

  it('law 11: through two clients of the provider, each with a connection of its own, are two requests', async () => {
    await start();
    const client = (): typeof world.http => {
      const instance = axios.create({ baseURL: provider.url, proxy: false, httpAgent: new Agent() });
      attachAxios(instance, world.runtime, { clock: world.clock, random: new SeededRandom(1) });
      return instance;
    };
    const sluice = { partition: { account: '1' } };
    const [one, two] = [client(), client()];
    expect(
      await sends(
        () => one.get('/x', { sluice }),
        () => two.get('/x', { sluice }),
      ),
    ).toBe(2);
  });

  it('law 11: of two callers with other credentials are two requests', async () => {
    await start();
    const as = (token: string) => get('/x', { headers: { Authorization: `Bearer ${token}` } });
    expect(await sends(as('a'), as('b'), as('a'))).toBe(2);
  });

  it.each<[string, object, object]>([
    ['tenants', { sluice: { tenant: 'a' } }, { sluice: { tenant: 'b' } }],
    ['partitions', { sluice: { partition: { account: '1' } } }, { sluice: { partition: { account: '2' } } }],
    ['cookies', { headers: { Cookie: 'a' } }, { headers: { Cookie: 'b' } }],
    ['basic credentials', { auth: { username: 'a', password: 'p' } }, { auth: { username: 'b', password: 'p' } }],
    ['parameters', { params: { a: 1 } }, { params: { a: 2 } }],
    ['forms of the answer', { responseType: 'text' }, { responseType: 'arraybuffer' }],
    ['bodies', { data: 'a' }, { data: 'b' }],
    ['agents', { httpAgent: undefined }, { httpAgent: new Agent() }],
  ])('law 11: of other %s are two requests', async (_name, one, two) => {
    await start();
    expect(await sends(get('/x', one), get('/x', two))).toBe(2);
  });

  it.each<[string, object, object]>([
    ['options of fetch', { fetchOptions: { integrity: 'a' } }, { fetchOptions: { integrity: 'b' } }],
    ['functions that fetch', { env: { fetch: (url: string, init: object) => fetch(url, init) } }, {}],
    ['versions of HTTP', { httpVersion: 1 }, {}],
    ['families of addresses', { family: 4 }, {}],
  ])('law 11: of other %s over the fetch adapter are two requests', async (_name, one, two) => {
    await start(ok, { adapter: 'fetch' });
    expect(await sends(get('/x', one), get('/x', two))).toBe(2);
  });

  it('law 11: of other dispatchers over the fetch adapter are two requests', async () => {
    await start(ok, { adapter: 'fetch' });
    const dispatch = (): never => {
      throw new Error('not connected');
    };
    const one = errorOf(get('/x', { fetchOptions: { dispatcher: { dispatch } } })());
    const two = get('/x')();
    await until(() => provider.log.length > 0);
    expect(world.gate.granted).toBeGreaterThan(1);
    release();
    await Promise.all([one, two]);
  });

  it('over the fetch adapter are one request, its options spelt alike', async () => {
    await start(ok, { adapter: 'fetch' });
    const one = { fetchOptions: { cache: 'no-store', mode: 'cors' } };
    const same = { fetchOptions: { mode: 'cors', cache: 'no-store' } };
    expect(await sends(get('/x', one), get('/x', same))).toBe(1);
  });

  it('law 11: of two tenants of the context are two requests', async () => {
    await start();
    const within = (tenant: string) => (): Promise<unknown> =>
      enterInbound({ clock: world.clock, tenant, partition: { account: '1' } }, () => world.http.get('/x'));
    expect(await sends(within('a'), within('b'))).toBe(2);
  });

  it('that fail give each caller an error of its own, with its own config', async () => {
    await start(status(404, { why: 'gone' }));
    const errors: any[] = [];
    const read = (id: number) => async () => errors.push(await errorOf(get('/x', { id })()));
    expect(await sends(read(1), read(2))).toBe(1);
    expect(errors[0]).not.toBe(errors[1]);
    expect(errors.map(({ config }) => config.id).sort()).toEqual([1, 2]);
    for (const error of errors) {
      expect(error).toBeInstanceOf(axios.AxiosError);
      expect(error).toMatchObject({ response: { data: { why: 'gone' } }, sluice: { reason: 'permanent' } });
      expect(error.response.config).toBe(error.config);
    }
  });

  it('go on for the others when one of them gives up', async () => {
    await start();
    const controller = new AbortController();
    const leaving = errorOf(get('/x', { signal: controller.signal })());
    const staying = get('/x')();
    await until(() => provider.log.length === 1);
    controller.abort('enough');
    expect(axios.isCancel(await leaving)).toBe(true);
    release();
    expect((await staying).data).toEqual({ ok: true });
    expect(provider.log).toHaveLength(1);
  });

  it('law 17: end on the wire when all have given up', async () => {
    await start();
    const controller = new AbortController();
    const leaving = [1, 2].map(() => errorOf(get('/x', { signal: controller.signal })()));
    await until(() => provider.log.length === 1);
    controller.abort('enough');
    for (const error of await Promise.all(leaving)) expect(axios.isCancel(error)).toBe(true);
    await until(() => provider.sockets.size === 0);
    await until(() => world.gate.open === 0);
  });

  it('are judged by the rule of each caller', async () => {
    await start(status(404));
    const kinds: string[] = [];
    const strict = async () => errorOf(get('/x')()).then(() => kinds.push('error'));
    const lenient = async () => get('/x', { validateStatus: () => true })().then(() => kinds.push('answer'));
    expect(await sends(strict, lenient)).toBe(1);
    expect(kinds.sort()).toEqual(['answer', 'error']);
  });

  it('from after a write have no part in a read from before it', async () => {
    await start();
    const before = get('/x')();
    await until(() => provider.log.length === 1);
    const write = world.http.post('/x', {}, { sluice: { partition: { account: '1' } } });
    await until(() => provider.log.length === 2);
    const after = get('/x')();
    await until(() => provider.log.length === 3);
    release();
    await Promise.all([before, write, after]);
    expect(provider.log.map(({ method }) => method)).toEqual(['GET', 'POST', 'GET']);
  });

  it('that write are never shared', async () => {
    await start();
    const write = (): Promise<unknown> => world.http.post('/x', {}, { sluice: { partition: { account: '1' } } });
    expect(await sends(write, write)).toBe(2);
  });
});
