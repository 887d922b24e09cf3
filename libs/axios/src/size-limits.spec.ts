import { Readable } from 'node:stream';
import { AXIOS_COPIES, errorOf, World } from './axios-world.fixture.js';
import { HttpProvider, ok, status } from './http-provider.fixture.js';

const big = status(200, 'x'.repeat(100_000));
/** Without a length of which Axios could know beforehand. */
const bigInParts = (_request: unknown, response: { write(text: string): void; end(text: string): void }): void => {
  response.write('x'.repeat(50_000));
  response.end('x'.repeat(50_000));
};

describe.each(AXIOS_COPIES)('sizes that axios %s was told not to exceed', (version, axios) => {
  let provider: HttpProvider;
  let world: World;
  beforeEach(() => (provider = new HttpProvider()));
  afterEach(async () => {
    await world.end(provider);
  });
  const start = async (adapter: string, ...script: Parameters<HttpProvider['start']>): Promise<void> => {
    await provider.start(...script);
    const idempotency = { header: 'Idempotency-Key' };
    world = new World({
      axios,
      provider: { idempotency },
      http: { baseURL: provider.url, adapter: adapter as 'http' },
    });
  };
  const health = (): string[] => world.gate.settlements.map((each) => each.health);
  /** Over fetch Axios 1.7 knows neither limit. */
  const adapters = version === '1.7.0' ? ['http'] : ['http', 'fetch'];

  describe.each(adapters)('over %s', (adapter) => {
    it.each([
      ['whose length is told', big],
      ['that comes in parts', bigInParts],
    ])('an answer %s and is beyond maxContentLength is not asked for again', async (_name, reply) => {
      await start(adapter, reply as typeof big);
      const error = await errorOf(world.http.get('/x', { maxContentLength: 10 }));
      expect(error).toMatchObject({ code: 'ERR_BAD_RESPONSE', message: expect.stringMatching(/maxContentLength/) });
      expect(error).toMatchObject({ sluice: { reason: 'permanent', attempts: 1 }, config: { url: '/x' } });
      expect(error).toBeInstanceOf(axios.AxiosError);
      expect(provider.log).toHaveLength(1);
      expect(health()).not.toContain('failure');
    });

    it('an answer within maxContentLength is taken', async () => {
      await start(adapter, ok);
      expect((await world.http.get('/x', { maxContentLength: 11 })).data).toEqual({ ok: true });
    });

    it('an answer beyond it does not hide that the provider failed, where that can be known', async () => {
      await start(adapter, status(503, 'x'.repeat(1000)));
      const error = await errorOf(world.http.get('/x', { maxContentLength: 10 }));
      expect(error.message).toMatch(/maxContentLength/);
      expect(provider.log).toHaveLength(adapter === 'http' ? 5 : 1);
    });

    it.each<[string, () => unknown]>([
      ['text', () => 'too long'],
      ['JSON', () => ({ too: 'long' })],
      ['buffer', () => Buffer.from('too long')],
      ['parameters', () => new URLSearchParams({ too: 'long' })],
    ])('a %s beyond maxBodyLength is tried once and not sent', async (_name, data) => {
      await start(adapter, ok);
      const error = await errorOf(world.http.post('/x', data(), { maxBodyLength: 3, sluice: { safe: true } }));
      expect(error).toMatchObject({ code: 'ERR_BAD_REQUEST', sluice: { reason: 'permanent', attempts: 1 } });
      expect(provider.log).toHaveLength(0);
      expect(world.gate.settlements).toMatchObject([{ end: 'not-sent', health: 'none' }]);
    });

    it('a form beyond maxBodyLength is tried once', async () => {
      await start(adapter, ok);
      const form = new FormData();
      form.append('file', new Blob(['x'.repeat(1000)]), 'a.txt');
      const error = await errorOf(world.http.put('/x', form, { maxBodyLength: 100, sluice: { safe: true } }));
      expect(error.sluice).toMatchObject({ reason: 'permanent', attempts: 1 });
      expect(provider.log).toHaveLength(0);
      expect(health()).toEqual(['none']);
    });

    it('a stream beyond maxBodyLength is tried once, though it could be made anew', async () => {
      await start(adapter, ok);
      const body = (): Readable => Readable.from([Buffer.alloc(5000)]);
      const sluice = { safe: true, body };
      const error = await errorOf(world.http.post('/x', undefined, { maxBodyLength: 1000, sluice }));
      expect(error.sluice).toMatchObject({ reason: 'permanent', attempts: 1 });
      expect(provider.log).toHaveLength(0);
      expect(health()).toEqual(['none']);
    });
  });
});
