import http from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import zlib from 'node:zlib';
import type { AnswerView } from '../../core/src/index.js';
import { AXIOS_COPIES, errorOf, World } from './axios-world.fixture.js';
import { HttpProvider, ok, type Reply, status } from './http-provider.fixture.js';

describe.each(AXIOS_COPIES)('a unix socket as the provider of axios %s', (_version, axios) => {
  const log: { line: string; host: string | undefined; cookie: string | undefined }[] = [];
  let script: Reply[] = [];
  let folder: string;
  let socketPath: string;
  let world: World;
  const server = http.createServer((request, response) => {
    const { method, url, headers } = request;
    log.push({ line: `${method} ${url}`, host: headers.host, cookie: headers.cookie });
    script[Math.min(log.length, script.length) - 1]?.(request, response);
  });
  beforeEach(async () => {
    log.length = 0;
    folder = mkdtempSync(join(tmpdir(), 'sluice-socket-'));
    socketPath = join(folder, 'api.sock');
    await new Promise<void>((resolve) => server.listen(socketPath, resolve));
    world = new World({ axios, http: { socketPath } });
  });
  afterEach(async () => {
    world.detach();
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
    rmSync(folder, { recursive: true });
    expect(world.gate).toMatchObject({ open: 0, endedTwice: 0 });
  });

  it.each([
    ['a path', '/contacts?a=1'],
    ['a full URL', 'http://localhost/contacts?a=1'],
  ])('takes %s, and every attempt goes there', async (_name, url) => {
    script = [status(503), ok];
    expect((await world.http.get(url)).data).toEqual({ ok: true });
    expect(log.map(({ line }) => line)).toEqual(['GET /contacts?a=1', 'GET /contacts?a=1']);
    expect(world.gate.granted).toBe(2);
  });

  it('sees redirects followed with what proves who asks, a permit for each hop', async () => {
    script = [status(302, '', { location: '/b' }), ok];
    await world.http.get('/a', { headers: { Cookie: 'me' } });
    expect(log).toMatchObject([
      { line: 'GET /a', cookie: 'me' },
      { line: 'GET /b', cookie: 'me' },
    ]);
    expect(world.gate.granted).toBe(2);
  });

  it('that nobody listens on has sent nothing: even a bare write goes again', async () => {
    const error = await errorOf(world.http.post('/x', {}, { socketPath: join(folder, 'other.sock') }));
    expect(error).toMatchObject({ code: 'ENOENT', sluice: { attempts: 5 } });
    expect(world.gate.settlements.map(({ end }) => end)).toEqual(Array(5).fill('not-sent'));
  });

  it('law 11: is not taken for another: equal reads of two are two requests', async () => {
    script = [ok];
    world.detach();
    world = new World({ axios, provider: { demand: { singleFlight: true } } });
    const provider = await new HttpProvider().start(ok);
    const read = (config: object): Promise<unknown> => world.http.get(`${provider.url}/x`, config);
    await Promise.all([read({ socketPath }), read({}), read({ socketPath })]);
    expect(log).toHaveLength(1);
    expect(provider.log).toHaveLength(1);
    await provider.stop();
  });
});

const TEXT = JSON.stringify({ some: 'x'.repeat(2000) });
const packed = {
  gzip: zlib.gzipSync(TEXT),
  br: zlib.brotliCompressSync(TEXT),
  deflate: zlib.deflateSync(TEXT),
};

describe.each(AXIOS_COPIES)('a packed answer to axios %s', (_version, axios) => {
  let provider: HttpProvider;
  let world: World;
  afterEach(async () => {
    await world.end(provider);
  });
  const start = async (encoding: keyof typeof packed, adapter: string, code = 200): Promise<void> => {
    const headers = { 'content-encoding': encoding, 'content-type': 'application/json' };
    provider = await new HttpProvider().start(status(code, packed[encoding], headers));
    const classify = ({ body }: AnswerView): 'rejected' | undefined =>
      (body as { some?: string } | null)?.some ? 'rejected' : undefined;
    const http = { baseURL: provider.url, adapter: adapter as 'http' };
    world = new World({ axios, http, provider: { classify } });
  };
  const encodings = (['gzip', 'br', 'deflate'] as const).flatMap((each) =>
    ['http', 'fetch'].map((adapter) => [each, adapter] as const),
  );

  it.each(encodings)('(%s, over %s) is unpacked for its caller, and for the contract that reads it', async (...how) => {
    await start(...how);
    const error = await errorOf(world.http.get('/x', { validateStatus: () => false }));
    expect(error.response.data).toEqual(JSON.parse(TEXT));
    expect(error.sluice.reason).toBe('permanent');
    expect(provider.log).toHaveLength(1);
  });

  it('asks for what Axios asks for', async () => {
    await start('gzip', 'http');
    await errorOf(world.http.get('/x', { validateStatus: () => false }));
    const plain = axios.create({ baseURL: provider.url, proxy: false });
    await plain.get('/x');
    expect(provider.log[0]?.headers).toEqual(provider.log[1]?.headers);
  });

  it.each(['gzip', 'br'] as const)('(%s) stays as it came with `decompress: false`', async (encoding) => {
    await start(encoding, 'http');
    const response = await world.http.get('/x', { decompress: false, responseType: 'arraybuffer' });
    expect(response.data.equals(packed[encoding])).toBe(true);
    expect(response.headers['content-encoding']).toBe(encoding);
  });

  it('that stays packed is judged by its status', async () => {
    await start('gzip', 'http', 503);
    const error = await errorOf(world.http.get('/x', { decompress: false, responseType: 'arraybuffer' }));
    expect(error).toMatchObject({ response: { status: 503 }, sluice: { reason: 'attempts-exhausted' } });
    expect(provider.log).toHaveLength(5);
  });

  it('law 11: is no answer to who wants it unpacked', async () => {
    await start('gzip', 'http');
    world.detach();
    world = new World({ axios, http: { baseURL: provider.url }, provider: { demand: { singleFlight: true } } });
    const [one, two] = await Promise.all([
      world.http.get('/x', { responseType: 'arraybuffer' }),
      world.http.get('/x', { responseType: 'arraybuffer', decompress: false }),
    ]);
    expect(one.data.toString()).toBe(TEXT);
    expect(two.data.equals(packed.gzip)).toBe(true);
  });
});
