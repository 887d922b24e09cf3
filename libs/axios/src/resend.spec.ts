import http from 'node:http';
import { Readable } from 'node:stream';
import FormDataPackage from 'form-data';
import { AXIOS_COPIES, errorOf, World } from './axios-world.fixture.js';
import { HttpProvider, ok, status } from './http-provider.fixture.js';

const SAFE = { safe: true };

describe.each(AXIOS_COPIES)('a request sent again by axios %s', (_version, axios) => {
  let provider: HttpProvider;
  let world: World;
  beforeEach(() => (provider = new HttpProvider()));
  afterEach(async () => {
    world.detach();
    await provider.stop();
    expect(world.gate).toMatchObject({ open: 0, endedTwice: 0 });
  });
  const start = async (...script: Parameters<HttpProvider['start']>): Promise<void> => {
    await provider.start(...script);
    world = new World({ axios, http: { baseURL: `${provider.url}/api` } });
  };

  it('case 123: has neither its base nor its parameters doubled', async () => {
    await start(status(503), status(503), ok);
    await world.http.get('test', { params: { a: [1, 2], b: 'x y' } });
    expect(new Set(provider.paths).size).toBe(1);
    expect(provider.paths).toHaveLength(3);
    expect(provider.paths[0]).toMatch(/^GET \/api\/test\?a/);
  });

  it('case 124: has the same headers each time', async () => {
    await start(status(503), status(503), ok);
    const headers = new axios.AxiosHeaders({ Authorization: 'Bearer t', 'X-One': '1' });
    await world.http.get('/x', { headers });
    const [first, ...others] = provider.log.map((arrival) => arrival.headers);
    expect(first).toMatchObject({ authorization: 'Bearer t', 'x-one': '1' });
    for (const each of others) expect(each).toEqual(first);
    expect(JSON.stringify(first)).not.toMatch(/object|undefined/);
  });

  it('case 124: takes headers from a config that was JSON before', async () => {
    await start(status(503), ok);
    const stored = JSON.parse(JSON.stringify({ url: '/x', headers: new axios.AxiosHeaders({ 'X-One': '1' }) }));
    await world.http.request(stored);
    expect(provider.log.map((arrival) => arrival.headers['x-one'])).toEqual(['1', '1']);
  });

  it('case 130: is classified by its status, whatever the caller counts as success', async () => {
    await start(status(429, {}, { 'retry-after': '0' }), ok);
    const response = await world.http.get('/x', { validateStatus: () => true });
    expect(response.status).toBe(200);
    expect(provider.log).toHaveLength(2);
  });

  it('is judged once by the rule of its caller', async () => {
    await start(status(503));
    const judged: number[] = [];
    const validateStatus = (code: number): boolean => judged.push(code) > 0;
    const response = await world.http.get('/x', { validateStatus });
    expect(response.status).toBe(503);
    expect(judged).toEqual([503]);
    expect(provider.log).toHaveLength(5);
  });

  it('case 16: is sent as often as the contract says, whatever becomes of its config', async () => {
    await start(status(503));
    const config = Object.freeze({ headers: Object.freeze({ 'X-One': '1' }) });
    await Promise.all([1, 2].map(() => errorOf(world.http.get('/x', config as never))));
    expect(provider.log).toHaveLength(10);
  });

  it.each<[string, () => unknown, object]>([
    ['JSON', () => ({ a: 1, b: 'ü' }), {}],
    ['a text', () => 'plain', { headers: { 'Content-Type': 'text/plain' } }],
    ['a buffer', () => Buffer.from([0, 255, 1]), {}],
    ['URLSearchParams', () => new URLSearchParams({ a: '1', b: 'x y' }), {}],
    ['a form', () => ({ a: 1 }), { headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }],
    ['the form of the package form-data', formOfPackage, {}],
    ['the form of the platform', formOfPlatform, {}],
  ])('sends %s byte for byte the same', async (_name, data, config) => {
    await start(status(503), status(503), ok);
    await world.http.post('/x', data(), { ...config, sluice: SAFE });
    const [first, ...others] = provider.log;
    expect(first?.body).not.toBe('');
    for (const each of others) {
      expect(each.body).toBe(first?.body);
      expect(each.headers).toEqual(first?.headers);
    }
    expect(others).toHaveLength(2);
  });

  it('transforms a body once', async () => {
    await start(status(503), ok);
    let runs = 0;
    const transformRequest = (data: unknown): string => JSON.stringify({ data, run: (runs += 1) });
    await world.http.post('/x', 'a', { transformRequest, sluice: SAFE });
    expect(provider.log.map(({ body }) => body)).toEqual(['{"data":"a","run":1}', '{"data":"a","run":1}']);
  });

  it('does not send a stream twice', async () => {
    await start(status(503), ok);
    const error = await errorOf(world.http.post('/x', Readable.from(['abc']), { sluice: SAFE }));
    expect(error.response.status).toBe(503);
    expect(provider.log.map(({ body }) => body)).toEqual(['abc']);
  });

  it('sends a stream again where it can be made anew', async () => {
    await start(status(503), ok);
    const body = (): Readable => Readable.from(['abc']);
    await world.http.post('/x', undefined, { sluice: { ...SAFE, body }, headers: { 'Content-Type': 'text/plain' } });
    expect(provider.log.map((arrival) => arrival.body)).toEqual(['abc', 'abc']);
  });

  it('is refused unsent when its body cannot be made', async () => {
    await start(ok);
    const body = (): never => {
      throw new Error('no body today');
    };
    const error = await errorOf(world.http.post('/x', undefined, { sluice: { body } }));
    expect(error.message).toBe('no body today');
    expect(provider.log).toHaveLength(0);
  });

  it('case 34: throws discarded bodies away: the third attempt finds a socket', async () => {
    const big = Buffer.alloc(2_000_000, 'x');
    await provider.start(status(503, big), status(503, big), ok);
    const httpAgent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const limits = [{ kind: 'concurrency' as const, limit: 1 }];
    world = new World({ axios, provider: { limits }, http: { baseURL: provider.url, httpAgent } });
    const response = await world.http.get('/x', { responseType: 'stream' });
    expect(response.status).toBe(200);
    for await (const _ of response.data) continue;
    expect(provider.log).toHaveLength(3);
    expect(Object.values(httpAgent.sockets).flat().length).toBeLessThanOrEqual(1);
    httpAgent.destroy();
  });

  it('gives an earlier answer when a later attempt brings none, and its body is empty where it was thrown away', async () => {
    await start(status(503, 'big news'), (request) => request.socket.destroy());
    const error = await errorOf(world.http.get('/x', { responseType: 'stream' }));
    expect(error.response.status).toBe(503);
    let text = '';
    for await (const chunk of error.response.data) text += chunk;
    expect(text).toBe('');
  });
});

function formOfPackage(): unknown {
  const form = new FormDataPackage();
  form.append('a', '1');
  form.append('file', Buffer.from('content'), 'a.txt');
  return form;
}

function formOfPlatform(): unknown {
  const form = new FormData();
  form.append('a', '1');
  form.append('file', new Blob(['content']), 'a.txt');
  return form;
}
