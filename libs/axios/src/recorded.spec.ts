import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { AxiosInstance, AxiosResponse, InternalAxiosRequestConfig } from 'axios';
import FormDataPackage from 'form-data';
import { SystemClock } from '../../core/src/index.js';
import { AXIOS_COPIES, errorOf, World, type WorldOptions } from './axios-world.fixture.js';
import { HttpProvider, ok, reset, status } from './http-provider.fixture.js';
import { Operations } from './journal.fixture.js';

const KEYED = { idempotency: { header: 'X-Key', retention: '1d' }, retry: { maxAttempts: 1 } } as const;

let operations: Operations;
beforeAll(async () => (operations = await Operations.open(new SystemClock())));
afterAll(() => operations.close());

let provider: HttpProvider;
let world: World;
let key: string;
beforeEach(() => {
  provider = new HttpProvider();
  key = randomUUID();
});
afterEach(async () => {
  world.detach();
  await provider.stop();
  expect(world.gate).toMatchObject({ open: 0, endedTwice: 0 });
});

async function start(options: WorldOptions, ...script: Parameters<HttpProvider['start']>): Promise<AxiosInstance> {
  await provider.start(...script);
  world = new World({ ...options, http: { baseURL: provider.url, ...options.http } });
  return world.http;
}

const form = (text: string): FormData => {
  const made = new FormData();
  made.append('title', text);
  made.append('file', new Blob([text], { type: 'text/csv' }), 'lines.csv');
  return made;
};
const packed = (text: string): FormDataPackage => {
  const made = new FormDataPackage();
  made.append('title', text);
  return made;
};

type Made = readonly [data: unknown, config?: object];
const BODIES: readonly (readonly [string, (text: string) => Made])[] = [
  ['a text', (text) => [text, { headers: { 'Content-Type': 'text/plain' } }]],
  ['plain data', (text) => [{ text, at: [1, null] }]],
  ['a Buffer', (text) => [Buffer.from([0, 255, ...Buffer.from(text)])]],
  ['a typed array', (text) => [new Uint8Array(Buffer.from(text))]],
  ['URLSearchParams', (text) => [new URLSearchParams({ text, ü: '&' })]],
  ['FormData', (text) => [form(text)]],
  ['a form of form-data', (text) => [packed(text)]],
  ['what a factory makes', (text) => [undefined, { sluice: { body: () => Promise.resolve(Buffer.from(text)) } }]],
  ['data of a transform', (text) => [text, { transformRequest: [(data: string) => `<${data}>`] }]],
  ['nothing', (text) => [text === 'first' ? undefined : text]],
];

const ADAPTERS = AXIOS_COPIES.flatMap(([version, axios]) =>
  (['http', 'fetch'] as const).map((adapter) => [version, adapter, axios] as const),
);

describe.each(ADAPTERS)('a write over axios %s (%s) that is run again', (_version, adapter, axios) => {
  it.each(BODIES)('law 7: brings %s as it was, whatever the method makes now', async (_what, make) => {
    const http = await start({ axios, provider: KEYED, http: { adapter } }, reset, ok);
    const post = (text: string): Promise<AxiosResponse> => {
      const [data, config] = make(text);
      return operations.run(key, () => http.post('/x', data, config));
    };
    await errorOf(post('first'));
    expect((await post('second')).status).toBe(200);
    const [first, again] = provider.log;
    const told = ({ body, headers }: NonNullable<typeof first>): unknown[] => [body, headers['content-type'], headers['content-length'] ?? '0', headers['x-key']]; // prettier-ignore
    expect(told(again!)).toEqual(told(first!));
    expect(again?.headers['x-key']).toMatch(/^[\da-f-]{36}$/);
    expect(await operations.states(key)).toEqual(['POST  0: answered (2)']);
  });

  it('sends first what it sends where nothing is remembered', async () => {
    const http = await start({ axios, provider: KEYED, http: { adapter } }, ok);
    for (const [, make] of BODIES.filter(([what]) => !/form/i.test(what))) {
      provider.log.length = 0;
      const [data, config] = make('first');
      await http.post('/x', data, config);
      await operations.run(randomUUID(), () => http.post('/x', data, config));
      const [bare, written] = provider.log.map(({ body, headers }) => [body, headers['content-type'], headers['content-length'] ?? '0']); // prettier-ignore
      expect(written).toEqual(bare);
    }
  });
});

describe.each(AXIOS_COPIES)('an answer over axios %s that was written down', (_version, axios) => {
  it.each([
    ['json', status(201, { id: 7 }, { location: '/x/7' })],
    ['text', status(200, 'plain ü')],
    ['arraybuffer', status(200, Buffer.from([0, 255, 7]))],
    ['json', status(204, '')],
  ] as const)('is given as before (%s), and nothing is sent', async (responseType, reply) => {
    const http = await start({ axios, provider: KEYED }, reply, status(500));
    const transforms = (axios.defaults.transformResponse as ((data: unknown) => unknown)[]).concat((data) => [data]);
    const post = (): Promise<AxiosResponse> =>
      operations.run(key, () => http.post('/x', { a: 1 }, { responseType, transformResponse: transforms }));
    const first = await post();
    const again = await post();
    expect({ ...again.headers }).toEqual({ ...first.headers });
    expect(again.headers).toBeInstanceOf(axios.AxiosHeaders);
    for (const field of ['status', 'statusText', 'data'] as const) expect(again[field]).toEqual(first[field]);
    expect(again.config.url).toBe('/x');
    expect(again.sluice).toMatchObject({ attempts: 0, operationId: key });
    expect([provider.log.length, world.gate.granted]).toEqual([1, 1]);
  });

  it('law 7: and is too large to be kept was answered all the same: nothing is sent again', async () => {
    const http = await start({ axios, provider: KEYED }, status(201, 'x'.repeat(300_000)));
    const post = (): Promise<AxiosResponse> => operations.run(key, () => http.post('/x', {}));
    expect((await post()).data).toHaveLength(300_000);
    expect(await errorOf(post())).toMatchObject({ code: 'OUTCOME_UNKNOWN', message: expect.stringMatching('answered with 201') }); // prettier-ignore
    expect(provider.log).toHaveLength(1);
  });

  it('is judged by the rule of its caller, as it was', async () => {
    const http = await start({ axios, provider: KEYED }, status(304, ''));
    const post = (): Promise<unknown> => errorOf(operations.run(key, () => http.post('/x', {})));
    expect(await post()).toMatchObject({ response: { status: 304 } });
    expect(await post()).toMatchObject({ response: { status: 304 } });
    expect(provider.log).toHaveLength(1);
  });

  it('leads where it led: the redirect is followed again, the write is not sent', async () => {
    const http = await start({ axios }, status(303, '', { location: '/x/7' }), ok);
    const post = (): Promise<AxiosResponse> => operations.run(key, () => http.post('/x', { a: 1 }));
    for (let n = 0; n < 2; n += 1) expect((await post()).data).toEqual({ ok: true });
    expect(provider.paths).toEqual(['POST /x', 'GET /x/7', 'GET /x/7']);
  });

  it('of a write that was redirected is its own: each request of it is written down', async () => {
    const http = await start({ axios, provider: KEYED }, status(307, '', { location: '/y' }), reset, ok);
    const post = (text: string): Promise<AxiosResponse> => operations.run(key, () => http.post('/x', { text }));
    await errorOf(post('first'));
    expect((await post('second')).data).toEqual({ ok: true });
    expect(provider.paths).toEqual(['POST /x', 'POST /y', 'POST /y']);
    expect(new Set(provider.log.map(({ body }) => body))).toEqual(new Set(['{"text":"first"}']));
    expect(await operations.states(key)).toEqual(['POST  0: answered (1)', 'POST  0 > 1: answered (2)']);
  });
});

describe('a body that cannot be known before', () => {
  const http = (): AxiosInstance => world.http;
  const stream = (): Readable => Readable.from(['a', 'b']);

  it.each<[string, () => Promise<unknown>]>([
    ['a stream', () => http().post('/x', stream())],
    ['a stream of a factory', () => http().post('/x', undefined, { sluice: { body: stream } })],
  ])('law 7: %s is sent once: what became of it is to be looked up', async (_what, post) => {
    await start({ provider: { ...KEYED, retry: { maxAttempts: 3 } } }, reset, ok);
    await errorOf(operations.run(key, post));
    expect(await errorOf(operations.run(key, post))).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    expect(provider.log.map(({ body }) => body)).toEqual(['ab']);
    const [request] = await operations.store.requests(key);
    expect(request).toMatchObject({ body: null, bodyHash: null, state: 'sent', repeatableUntilMs: 0 });
  });

  it('is closed where it is made and not sent', async () => {
    await start({ provider: KEYED }, ok);
    const made: Readable[] = [];
    const body = (): Readable => {
      made.push(stream());
      return made.at(-1)!;
    };
    const post = (): Promise<unknown> => http().post('/x', undefined, { sluice: { body } });
    const { recordRequest } = operations.store;
    operations.store.recordRequest = () => Promise.reject(new Error('full'));
    expect(await errorOf(operations.run(key, post))).toMatchObject({ message: 'full' });
    operations.store.recordRequest = recordRequest;
    await operations.run(key, post);
    expect(made.map(({ destroyed, readableEnded }) => [destroyed, readableEnded])).toEqual([[true, false], [true, true]]); // prettier-ignore
    expect(provider.log.map((arrival) => arrival.body)).toEqual(['ab']);
  });

  it('that fails refuses the call unsent, as it would without a journal', async () => {
    await start({ provider: KEYED }, ok);
    const body = (): never => {
      throw new Error('no such file');
    };
    expect(await errorOf(operations.run(key, () => http().post('/x', undefined, { sluice: { body } })))).toMatchObject({
      message: 'no such file',
    });
    expect([provider.log.length, await operations.states(key)]).toEqual([0, []]);
  });
});

describe('a key in a field of the body', () => {
  it('law 7: is in the bytes that are repeated, also after a grant that came too late', async () => {
    const idempotency = { bodyField: 'requestId', retention: '1d' } as const;
    const http = await start({ provider: { ...KEYED, idempotency, guard: '10s' } }, reset, ok);
    let grants = 0;
    const admit = world.gate.admission().admit;
    world.runtime.admission.admit = (request) => {
      const permit = admit(request) as { grantedMono: number };
      grants += 1;
      return (grants === 1 ? { ...permit, grantedMono: permit.grantedMono - 6000 } : permit) as never;
    };
    const post = (text: string): Promise<AxiosResponse> => operations.run(key, () => http.post('/x', { text }));
    await errorOf(post('first'));
    await post('second');
    const [first, again] = provider.log.map(({ body }) => body);
    expect(JSON.parse(first!)).toEqual({ text: 'first', requestId: expect.stringMatching(/^[\da-f-]{36}$/) });
    expect(again).toBe(first);
    expect(grants).toBe(3);
    expect(await operations.states(key)).toEqual(['POST  0: answered (2)']);
  });
});

it('what looks at a request before it leaves sees the body that is sent', async () => {
  const seen: unknown[] = [];
  const beforeSend = ({ body }: { body: unknown }): Record<string, string> => {
    seen.push(body);
    return {};
  };
  const http = await start({ provider: { ...KEYED, beforeSend } }, reset, ok);
  for (const text of ['first', 'second']) {
    await operations.run(key, () => http.post('/x', { text })).catch(() => undefined);
  }
  expect(seen).toEqual([{ text: 'first' }, { text: 'first' }]);
});

it('law 12: no credential or cookie of request or answer comes into the store', async () => {
  const secret = 'planted-secret';
  const auth = { credentials: () => ({ headers: { Authorization: `Bearer ${secret}-held` } }) };
  const reply = status(
    200,
    { fine: 'kept' },
    {
      'set-cookie': `sid=${secret}`,
      'x-auth-token': secret,
      'www-authenticate': `Digest nonce="${secret}"`,
      'x-request-id': 'kept-id',
    },
  );
  const http = await start({ provider: { ...KEYED, auth, beforeSend: () => ({ 'X-Signature': secret }) } }, reply);
  const config = { headers: { Cookie: `a=${secret}`, 'X-Api-Key': secret, Authorization: secret }, auth: { username: 'u', password: secret }, params: { access_token: secret } }; // prettier-ignore
  await operations.run(key, () => http.post('/x', { a: 1 }, config));
  expect(provider.log[0]?.headers.cookie).toContain(secret);
  const bytes = await operations.bytes();
  expect(bytes).toContain('kept-id');
  expect(bytes).toContain('fine');
  expect(bytes).not.toContain(secret);
});

it('where no operation remembers, a body is sent as it is', async () => {
  const adapter = (config: InternalAxiosRequestConfig): Promise<AxiosResponse> =>
    Promise.resolve({ status: 200, statusText: '', headers: {}, data: config.data, config });
  const http = await start({ provider: KEYED, http: { adapter } }, ok);
  const data = form('x');
  const { data: sent } = await http.post('/x', data);
  expect(sent).toBe(data);
  const { data: written } = await operations.run(key, () => http.post('/x', data));
  expect(Buffer.isBuffer(written)).toBe(true);
});
