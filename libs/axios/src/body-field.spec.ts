import { Readable } from 'node:stream';
import FormDataPackage from 'form-data';
import { enterMethod, randomOperation } from '../../core/src/index.js';
import { SeededRandom } from '../../testing/src/index.js';
import { AXIOS_COPIES, errorOf, World } from './axios-world.fixture.js';
import { HttpProvider, ok, status } from './http-provider.fixture.js';

const KEYED = { sluice: { idempotencyKey: 'key-1' } };
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

describe.each(AXIOS_COPIES)('an idempotency key in a field of the body, by axios %s', (_version, axios) => {
  let provider: HttpProvider;
  let world: World;
  beforeEach(() => (provider = new HttpProvider()));
  afterEach(async () => {
    world.detach();
    await provider.stop();
    expect(world.gate).toMatchObject({ open: 0, endedTwice: 0 });
  });
  const start = async (adapter: string, ...script: Parameters<HttpProvider['start']>): Promise<void> => {
    await provider.start(...script);
    const idempotency = { bodyField: 'request_id', methods: ['POST'] };
    const http = { baseURL: provider.url, adapter: adapter as 'http' };
    world = new World({ axios, provider: { idempotency }, http });
  };
  const bodies = (): any[] => provider.log.map(({ body }) => JSON.parse(body));

  it.each(['http', 'fetch'])('stands in a JSON object, the same in each attempt (%s)', async (adapter) => {
    await start(adapter, status(503), status(503), ok);
    await world.http.post('/x', { amount: 1, deep: { text: 'ü "q"' } }, KEYED);
    const [first, ...others] = bodies();
    expect(first).toEqual({ amount: 1, deep: { text: 'Ã¼ "q"' }, request_id: 'key-1' });
    expect(others).toEqual([first, first]);
    expect(provider.log[0]?.headers['idempotency-key']).toBeUndefined();
    for (const { body, headers } of provider.log) {
      if (headers['content-length'] !== undefined) expect(headers['content-length']).toBe(String(body.length));
    }
  });

  it('is that of the operation, where the request gives none: another for each request', async () => {
    await start('http', ok);
    const operation = randomOperation(new SeededRandom(1));
    await enterMethod({ provider: 'crm', clock: world.clock, operation }, async () => {
      await world.http.post('/x', { a: 1 });
      await world.http.post('/x', { a: 1 });
      await world.http.post('/x', { a: 1 }, KEYED);
    });
    const [one, two, given] = bodies().map((body) => body.request_id);
    expect([one, two]).toEqual([expect.stringMatching(UUID), expect.stringMatching(UUID)]);
    expect(one).not.toBe(two);
    expect(given).toBe('key-1');
  });

  it('stands in a text that is a JSON object', async () => {
    await start('http', ok);
    await world.http.post('/x', '{"a":1}', { headers: { 'Content-Type': 'application/json' }, ...KEYED });
    expect(bodies()).toEqual([{ a: 1, request_id: 'key-1' }]);
  });

  it('never changes the object of its caller, nor the config that it gets back', async () => {
    await start('http', ok);
    const data = Object.freeze({ a: 1 });
    const response = await world.http.post('/x', data, KEYED);
    expect(data).toEqual({ a: 1 });
    expect(JSON.parse(String(response.config.data))).toEqual({ a: 1 });
  });

  it('is left out of reads, and of writes that have none', async () => {
    await start('http', ok);
    await world.http.get('/x', KEYED);
    await world.http.post('/x', { a: 1 });
    expect(provider.log.map(({ body }) => body)).toEqual(['', '{"a":1}']);
  });

  it('does not follow a redirect to another origin', async () => {
    const other = await new HttpProvider().start(ok);
    await start('http', status(307, '', { location: `${other.url}/y` }));
    await world.http.post('/x', { a: 1 }, { ...KEYED, validateStatus: () => true });
    expect(other.log.map(({ body }) => body).join()).not.toMatch(/request_id/);
    await other.stop();
  });

  it.each<[string, () => unknown]>([
    ['a list', () => [1, 2]],
    ['a text', () => 'plain'],
    ['no body', () => undefined],
    ['a buffer', () => Buffer.from('{"a":1}')],
    ['a form that is URL-encoded', () => new URLSearchParams({ a: '1' })],
    ['a form of the platform', formOfPlatform],
    ['a form of the package form-data', formOfPackage],
    ['a stream', () => Readable.from(['{"a":1}'])],
  ])('has no place in %s: the write is refused unsent, in words without the body', async (_name, data) => {
    await start('http', ok);
    const error = await errorOf(world.http.post('/x', data(), KEYED));
    expect(error).toMatchObject({ code: 'CONFIG', provider: 'crm' });
    expect(error.message).toMatch(/idempotency\.bodyField.*a JSON object/);
    expect(error.message).not.toMatch(/plain|"a"|key-1/);
    expect(provider.log).toHaveLength(0);
    expect(world.gate.settlements).toMatchObject([{ end: 'not-sent', health: 'none' }]);
  });
});

function formOfPlatform(): FormData {
  const form = new FormData();
  form.append('a', '1');
  return form;
}

function formOfPackage(): FormDataPackage {
  const form = new FormDataPackage();
  form.append('a', '1');
  return form;
}
