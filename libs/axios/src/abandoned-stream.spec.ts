import { AXIOS_COPIES, errorOf, until, World } from './axios-world.fixture.js';
import { HttpProvider } from './http-provider.fixture.js';

let provider: HttpProvider;
beforeEach(() => (provider = new HttpProvider()));
afterEach(() => provider.stop());

test.each(AXIOS_COPIES)(
  'law 1: a stream that answers a write whose caller gave up is ended, and keeps the permit until then (axios %s)',
  async (_version, axios) => {
    let headers = (): void => undefined;
    await provider.start((_request, response) => {
      headers = () => void response.write('first');
    });
    const timeouts = { bodyIdle: '10m' as const };
    const world = new World({ axios, http: { baseURL: provider.url }, provider: { timeouts } });
    const controller = new AbortController();
    const gone = errorOf(world.http.post('/x', {}, { responseType: 'stream', signal: controller.signal }));
    await until(() => provider.log.length === 1);
    controller.abort();
    expect(await gone).toMatchObject({ code: 'ERR_CANCELED' });
    expect([world.gate.open, provider.sockets.size]).toEqual([1, 1]);
    headers();
    await until(() => world.gate.open === 0, 5_000);
    await until(() => provider.sockets.size === 0, 5_000);
    world.detach();
    expect(world.gate.endedTwice).toBe(0);
  },
);
