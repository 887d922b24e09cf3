import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { SystemClock } from '../../core/src/index.js';
import { VirtualClock } from '../../testing/src/index.js';
import { AXIOS_COPIES, errorOf, until, World } from './axios-world.fixture.js';
import { hang, HttpProvider, ok, reset, stall, status } from './http-provider.fixture.js';

/** A port of the loopback where nobody listens. */
async function closedPort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe.each(AXIOS_COPIES)('what axios %s tells of a failed attempt', (_version, axios) => {
  let provider: HttpProvider;
  let world: World;
  beforeEach(() => (provider = new HttpProvider()));
  afterEach(async () => {
    await world.end(provider);
  });
  const ends = (): string[] => world.gate.settlements.map(({ end }) => end);

  it('a refused connection sent nothing: even a bare write goes again', async () => {
    await provider.start(ok);
    world = new World({ axios, http: { baseURL: `http://127.0.0.1:${await closedPort()}` } });
    const error = await errorOf(world.http.post('/x', {}));
    expect(error).toMatchObject({ code: 'ECONNREFUSED', sluice: { reason: 'attempts-exhausted', attempts: 5 } });
    expect(error).toBeInstanceOf(axios.AxiosError);
    expect(ends()).toEqual(Array(5).fill('not-sent'));
  });

  it('a name that cannot be looked up sent nothing', async () => {
    await provider.start(ok);
    const lookup = (_host: string, _options: object, done: (error: Error) => void): void =>
      done(Object.assign(new Error('no such host'), { code: 'ENOTFOUND' }));
    world = new World({ axios, http: { baseURL: 'http://crm.test', lookup: lookup as never } });
    await errorOf(world.http.post('/x', {}));
    expect(new Set(ends())).toEqual(new Set(['not-sent']));
  });

  it('law 7: a bare write that was reset after it was sent is not sent again', async () => {
    await provider.start(reset);
    world = new World({ axios, http: { baseURL: provider.url } });
    const error = await errorOf(world.http.post('/x', {}));
    expect(error).toMatchObject({ code: 'OUTCOME_UNKNOWN', attempts: 1 });
    expect(provider.log).toHaveLength(1);
    expect(ends()).toEqual(['no-answer']);
  });

  it('law 7: a reset on a socket used before is as uncertain', async () => {
    await provider.start(ok, reset);
    world = new World({ axios, http: { baseURL: provider.url } });
    await world.http.get('/x');
    const error = await errorOf(world.http.post('/x', {}));
    expect(error.code).toBe('OUTCOME_UNKNOWN');
    expect(provider.log).toHaveLength(2);
  });

  it('a reset read goes again', async () => {
    await provider.start(reset, reset, ok);
    world = new World({ axios, http: { baseURL: provider.url } });
    expect((await world.http.get('/x')).data).toEqual({ ok: true });
    expect(ends()).toEqual(['no-answer', 'no-answer', 'answered']);
  });

  it('law 2: a grant that is stale when its socket is there is given back unsent and asked for anew', async () => {
    await provider.start(ok);
    let stoodStillMs = 0;
    const clock = new (class extends SystemClock {
      override monoMs(): number {
        return super.monoMs() + stoodStillMs;
      }
    })();
    const httpAgent = new http.Agent();
    const { createConnection } = httpAgent;
    httpAgent.createConnection = (...args) => {
      if (stoodStillMs === 0) stoodStillMs = 60_000;
      return createConnection.apply(httpAgent, args);
    };
    world = new World({ axios, clock, http: { baseURL: provider.url, httpAgent }, provider: { guard: '10s' } });
    expect((await world.http.post('/x', {})).sluice).toMatchObject({ attempts: 1 });
    expect(ends()).toEqual(['not-sent', 'answered']);
    expect(provider.log).toHaveLength(1);
    httpAgent.destroy();
  });

  it('over fetch nothing shows that a write was not sent', async () => {
    await provider.start(ok);
    world = new World({ axios, http: { baseURL: `http://127.0.0.1:${await closedPort()}`, adapter: 'fetch' } });
    expect(await errorOf(world.http.post('/x', {}))).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  });

  it('a connection that does not come up in time is a CONNECT_TIMEOUT, with nothing sent', async () => {
    await provider.start(ok);
    const clock = new VirtualClock();
    const provided = { timeouts: { connect: 500 }, retry: { maxAttempts: 1 } };
    const lookup = (): void => undefined;
    const http = { baseURL: 'http://crm.test', lookup: lookup as never };
    world = new World({ axios, clock, provider: provided, http });
    const failing = errorOf(world.http.post('/x', {}));
    await until(() => clock.pendingTimers === 2);
    await clock.advance(500);
    expect(await failing).toMatchObject({ code: 'CONNECT_TIMEOUT', provider: 'crm' });
    expect(ends()).toEqual(['not-sent']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('a request that cannot be sent, whoever receives it, is tried once', async () => {
    await provider.start(ok);
    world = new World({ axios, http: { baseURL: provider.url } });
    const error = await errorOf(world.http.post('/x', 'too long', { maxBodyLength: 3 }));
    expect(error).toMatchObject({ code: 'ERR_BAD_REQUEST', sluice: { reason: 'permanent' } });
    expect(provider.log).toHaveLength(0);
    expect(ends()).toEqual(['not-sent']);
  });

  it('an answer beyond maxContentLength is not asked for again', async () => {
    await provider.start(status(200, 'x'.repeat(1000)));
    world = new World({ axios, http: { baseURL: provider.url } });
    const error = await errorOf(world.http.get('/x', { maxContentLength: 10 }));
    expect(error).toMatchObject({ code: 'ERR_BAD_RESPONSE', message: expect.stringMatching(/maxContentLength/) });
    expect(error.config.url).toBe('/x');
    expect(provider.log).toHaveLength(1);
    expect(ends()).toEqual(['answered']);
  });

  it('case 126: the timeout of an earlier call does not end a later one on the same socket', async () => {
    const replies: (() => void)[] = [];
    await provider.start(ok, (_request, response) => void replies.push(() => response.end('{"late":1}')));
    const clock = new VirtualClock();
    world = new World({ axios, clock, http: { baseURL: provider.url }, provider: { timeouts: { attempt: '60s' } } });
    await world.http.get('/x', { timeout: 1000 });
    const late = world.http.get('/x');
    await until(() => replies.length === 1);
    await clock.advance(5000);
    replies[0]?.();
    expect((await late).data).toEqual({ late: 1 });
    expect(provider.connections).toBe(1);
  });

  it.each([
    ['before the headers', hang],
    ['within the body', stall('{"half":')],
  ])('case 127: a timeout %s tears the request down; the next call has a fresh socket', async (_name, reply) => {
    await provider.start(reply, ok);
    const clock = new VirtualClock();
    world = new World({ axios, clock, http: { baseURL: provider.url }, provider: { retry: { maxAttempts: 1 } } });
    const failing = errorOf(world.http.get('/x', { timeout: 500 }));
    await until(() => provider.log.length === 1);
    await clock.advance(499);
    expect(provider.sockets.size).toBe(1);
    await clock.advance(1);
    expect(await failing).toMatchObject({ code: 'ATTEMPT_TIMEOUT' });
    await until(() => provider.sockets.size === 0);
    expect((await world.http.get('/x')).status).toBe(200);
    expect(provider.connections).toBe(2);
    expect(clock.pendingTimers).toBe(0);
  });

  it('axios narrows the time limit of an attempt and never widens it', async () => {
    await provider.start(hang);
    const clock = new VirtualClock();
    const provided = { retry: { maxAttempts: 1 }, timeouts: { attempt: '2s' as const } };
    world = new World({ axios, clock, http: { baseURL: provider.url }, provider: provided });
    const failing = errorOf(world.http.get('/x', { timeout: 60_000 }));
    await until(() => provider.log.length === 1);
    await clock.advance(2000);
    expect(await failing).toMatchObject({ code: 'ATTEMPT_TIMEOUT' });
  });

  it('law 12: dumps hold none of the credentials that the contract adds', async () => {
    await provider.start(status(500));
    const auth = { credentials: () => ({ headers: { Authorization: 'Bearer s3cret-of-contract' } }) };
    world = new World({ axios, http: { baseURL: provider.url }, provider: { auth, retry: { maxAttempts: 2 } } });
    const error = await errorOf(world.http.get('/x'));
    expect(provider.log[0]?.headers.authorization).toBe('Bearer s3cret-of-contract');
    const { inspect } = await import('node:util');
    const dumps = [JSON.stringify(error), inspect(error, { depth: 8 }), inspect(error.response, { depth: 8 })];
    for (const dump of dumps) expect(dump).not.toMatch(/s3cret/);
    expect(error.request).toBeDefined();
  });
});
