import { VirtualClock } from '../../testing/src/index.js';
import { AXIOS_COPIES, errorOf, until, World, type WorldOptions } from './axios-world.fixture.js';
import { selfMadeCertificate } from './certificate.fixture.js';
import { type H2Reply, H2Provider, h2Status } from './h2-provider.fixture.js';

const certificate = selfMadeCertificate();
const ok = h2Status(200, { ok: true });
/** Axios 1.7 speaks HTTP/1.1 only. */
const COPIES = AXIOS_COPIES.filter(([version]) => version !== '1.7.0');

describe.each(COPIES)('over HTTP/2, axios %s', (_version, axios) => {
  let provider: H2Provider;
  let world: World;
  let clock: VirtualClock;
  beforeEach(() => {
    provider = new H2Provider(certificate);
    clock = new VirtualClock();
  });
  afterEach(async () => {
    await world.end(provider);
    expect(clock.pendingTimers).toBe(0);
  });
  const start = async (script: readonly H2Reply[], options: WorldOptions = {}): Promise<void> => {
    await provider.start(...script);
    const http = { baseURL: provider.url, httpVersion: 2, http2Options: { ca: certificate.cert } };
    world = new World({ axios, clock, http: http as never, ...options });
  };
  /** Lets the waits between attempts pass. */
  const settled = async <T>(promise: Promise<T>): Promise<T> => {
    let over = false;
    const done = promise.finally(() => (over = true));
    done.catch(() => undefined);
    while (!over) {
      await new Promise((resolve) => setImmediate(resolve));
      if (clock.pendingTimers > 0 && world.gate.open === 0) await clock.advance(10);
    }
    return done;
  };

  it('sends through the gate, over one connection', async () => {
    await start([ok]);
    const one = await world.http.get('/contacts/1', { params: { a: 1 }, headers: { 'X-One': '1' } });
    await world.http.post('/contacts', { name: 'x' });
    expect(one.data).toEqual({ ok: true });
    expect(one.sluice).toEqual({ attempts: 1, waitedMs: 0, operationId: null });
    expect(provider.log).toMatchObject([
      { method: 'GET', path: '/contacts/1?a=1', headers: { 'x-one': '1' } },
      { method: 'POST', path: '/contacts', body: '{"name":"x"}' },
    ]);
    expect(world.gate.granted).toBe(2);
    expect(provider.sessions.size).toBe(1);
  });

  it('sends a read again with the same headers, and a write with the same bytes where it is safe', async () => {
    await start([h2Status(503), ok, h2Status(503), ok]);
    await settled(world.http.get('/x'));
    await settled(world.http.post('/x', { a: 'ü' }, { sluice: { safe: true } }));
    expect(provider.log).toHaveLength(4);
    expect(provider.log[1]).toEqual(provider.log[0]);
    expect(provider.log[3]).toEqual(provider.log[2]);
    expect(world.gate.granted).toBe(4);
  });

  it('law 7: does not send a bare write again', async () => {
    await start([(stream) => stream.close(2)]);
    const error = await settled(errorOf(world.http.post('/x', {})));
    expect(error).toMatchObject({ code: 'OUTCOME_UNKNOWN', attempts: 1 });
    expect(provider.log).toHaveLength(1);
  });

  it('follows redirects with a permit for each hop', async () => {
    await start([h2Status(302, '', { location: '/b' }), ok]);
    expect((await world.http.get('/a')).data).toEqual({ ok: true });
    expect(provider.log.map(({ path }) => path)).toEqual(['/a', '/b']);
    expect(world.gate.granted).toBe(2);
  });

  it('ends a request whose time is over, and keeps its connection', async () => {
    await start([() => undefined, ok], { provider: { retry: { maxAttempts: 1 } } });
    const failing = errorOf(world.http.get('/slow', { timeout: 500 }));
    await until(() => provider.log.length === 1);
    await clock.advance(500);
    expect(await failing).toMatchObject({ code: 'ATTEMPT_TIMEOUT' });
    await until(() => provider.reset.includes('/slow'));
    expect((await world.http.get('/x')).status).toBe(200);
    expect(provider.sessions.size).toBe(1);
  });

  it('ends a request that its caller gave up', async () => {
    await start([() => undefined]);
    const controller = new AbortController();
    const failing = errorOf(world.http.get('/slow', { signal: controller.signal }));
    await until(() => provider.log.length === 1);
    controller.abort();
    expect(axios.isCancel(await failing)).toBe(true);
    await until(() => provider.reset.includes('/slow'));
    expect(provider.log).toHaveLength(1);
  });

  it('hands a stream over at its headers; its permit ends with its last byte', async () => {
    let end = (): void => undefined;
    await start([
      (stream) => {
        stream.respond({ ':status': 200 });
        stream.write('Hello ');
        end = () => void stream.end('World');
      },
    ]);
    const { data } = await world.http.get('/x', { responseType: 'stream' });
    expect(world.gate.open).toBe(1);
    end();
    let text = '';
    for await (const chunk of data) text += chunk;
    expect(text).toBe('Hello World');
    await until(() => world.gate.open === 0);
  });

  it('does not ask again for an answer beyond maxContentLength', async () => {
    await start([h2Status(200, 'x'.repeat(1000))]);
    const error = await settled(errorOf(world.http.get('/x', { maxContentLength: 10 })));
    expect(error).toMatchObject({ code: 'ERR_BAD_RESPONSE', message: expect.stringMatching(/maxContentLength/) });
    expect(error).toMatchObject({ sluice: { reason: 'permanent', attempts: 1 }, config: { url: '/x' } });
    expect(provider.log).toHaveLength(1);
  });

  it.each([
    ['a body beyond maxBodyLength', '/x', { maxBodyLength: 3 }, 'ERR_BAD_REQUEST'],
    ['a proxy, which HTTP/2 cannot pass', '/x', { proxy: { host: '127.0.0.1', port: 9 } }, 'ERR_NOT_SUPPORT'],
    ['a version that does not exist', '/x', { httpVersion: 3 }, 'ERR_BAD_OPTION_VALUE'],
    ['no absolute URL', '/x', { baseURL: '' }, 'CONFIG'],
  ])('a write with %s is not sent, and tried once', async (_name, url, config, code) => {
    await start([ok]);
    const error = await settled(errorOf(world.http.post(url, 'too long', config as never)));
    expect(error).toMatchObject({ code });
    expect(provider.log).toHaveLength(0);
    expect(world.gate.settlements.map(({ end }) => end)).toEqual(code === 'CONFIG' ? [] : ['not-sent']);
  });
});
