import { enterInbound } from '../../core/src/index.js';
import { AXIOS_COPIES, errorOf, World } from './axios-world.fixture.js';
import { HttpProvider, ok, type Reply, status } from './http-provider.fixture.js';

describe.each(AXIOS_COPIES)('reads of axios %s within one inbound request', (_version, axios) => {
  let provider: HttpProvider;
  let world: World;
  beforeEach(() => (provider = new HttpProvider()));
  afterEach(async () => {
    world.detach();
    await provider.stop();
    expect(world.gate).toMatchObject({ open: 0, endedTwice: 0 });
  });
  const start = async (demand: object, ...script: Reply[]): Promise<void> => {
    await provider.start(...script);
    world = new World({ axios, http: { baseURL: provider.url }, provider: { demand, dimensions: ['account'] } });
  };
  const REUSE = { singleFlight: false, requestReuse: true };
  const inbound = <T>(work: () => Promise<T>): Promise<T> =>
    enterInbound({ clock: world.clock, partition: { account: '1' } }, work);
  const counted: Reply = (request, response) => status(200, { n: provider.log.length })(request, response);

  it('have one answer, and each reader a copy of its own', async () => {
    await start(REUSE, counted);
    const [one, two] = await inbound(async () => {
      const first = await world.http.get('/x');
      first.data.n = 'edited';
      return [first, await world.http.get('/x', { params: undefined })];
    });
    expect(one.data).toEqual({ n: 'edited' });
    expect(two.data).toEqual({ n: 1 });
    expect(two.config).not.toBe(one.config);
    expect(provider.log).toHaveLength(1);
    expect(world.gate.granted).toBe(1);
  });

  it('share nothing with the next inbound request, nor with what runs outside of one', async () => {
    await start(REUSE, counted);
    const read = async (): Promise<number> => (await world.http.get('/x', PARTITION)).data.n;
    expect(await inbound(read)).toBe(1);
    expect(await inbound(read)).toBe(2);
    expect([await read(), await read()]).toEqual([3, 4]);
  });

  it('are made anew where they are not the same', async () => {
    await start(REUSE, counted);
    await inbound(async () => {
      await world.http.get('/x');
      await world.http.get('/x', { params: { a: 1 } });
      await world.http.get('/x', { headers: { Authorization: 'Bearer other' } });
      await world.http.get('/x', { responseType: 'arraybuffer' });
      await world.http.get('/x', { sluice: { partition: { account: '2' } } });
      await world.http.get('/x', { sluice: { tenant: 'other' } });
      const stream = await world.http.get('/x', { responseType: 'stream' });
      for await (const _ of stream.data) continue;
    });
    expect(provider.log).toHaveLength(7);
  });

  it('are made anew after a write to the same partition', async () => {
    await start(REUSE, counted);
    const seen = await inbound(async () => {
      const before = await world.http.get('/x');
      await world.http.post('/x', {});
      const after = await world.http.get('/x');
      return [before.data.n, after.data.n];
    });
    expect(seen).toEqual([1, 3]);
  });

  it('never reuse a failure', async () => {
    await start(REUSE, status(404), ok);
    await inbound(async () => {
      expect(await errorOf(world.http.get('/x'))).toMatchObject({ response: { status: 404 } });
      expect((await world.http.get('/x')).data).toEqual({ ok: true });
    });
    expect(provider.log).toHaveLength(2);
  });

  it('at once are one request too, where reads at once are shared', async () => {
    await start({ singleFlight: true, requestReuse: true }, counted);
    await inbound(async () => {
      await Promise.all([world.http.get('/x'), world.http.get('/x')]);
      expect((await world.http.get('/x')).data).toEqual({ n: 1 });
    });
    expect(provider.log).toHaveLength(1);
  });

  it('reuse nothing unless the contract says so', async () => {
    await start({ singleFlight: true }, counted);
    await inbound(async () => [await world.http.get('/x'), await world.http.get('/x')]);
    expect(provider.log).toHaveLength(2);
  });

  it('reach the transport of a request that has its own', async () => {
    await start(REUSE, counted);
    let sends = 0;
    const adapter = async (config: object): Promise<any> => {
      sends += 1;
      return { status: 200, statusText: '', headers: {}, data: '{}', config };
    };
    await inbound(async () => [await world.http.get('/x', { adapter }), await world.http.get('/x', { adapter })]);
    expect(sends).toBe(2);
  });
});

const PARTITION = { sluice: { partition: { account: '1' } } };
