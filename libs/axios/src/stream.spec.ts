import { AXIOS_COPIES, errorOf, until, World } from './axios-world.fixture.js';
import { hang, HttpProvider, ok, stall, status } from './http-provider.fixture.js';
import { VirtualClock } from '../../testing/src/index.js';

async function text(stream: AsyncIterable<unknown>, seen: string[] = []): Promise<string> {
  for await (const chunk of stream) seen.push(Buffer.from(chunk as Uint8Array).toString());
  return seen.join('');
}

describe.each(
  AXIOS_COPIES.flatMap(([version, axios]) => [[version, 'http', axios] as const, [version, 'fetch', axios] as const]),
)('a streamed answer of axios %s over %s', (_version, adapter, axios) => {
  let provider: HttpProvider;
  let world: World;
  let clock: VirtualClock;
  beforeEach(() => (provider = new HttpProvider()));
  afterEach(async () => {
    await world.end(provider);
    expect(clock.pendingTimers).toBe(0);
  });
  const start = async (...script: Parameters<HttpProvider['start']>): Promise<void> => {
    await provider.start(...script);
    clock = new VirtualClock();
    const timeouts = { bodyIdle: 500, attempt: '10s' as const };
    world = new World({
      axios,
      clock,
      provider: { timeouts },
      http: { baseURL: provider.url, adapter: adapter as 'http' },
    });
  };
  /** The platform's fetch takes seconds to let go of a socket: looked at once, below. */
  const connectionEnds = async (): Promise<void> => {
    if (adapter === 'http') await until(() => provider.sockets.size === 0);
  };
  const open = (): Promise<{ data: AsyncIterable<unknown> }> => world.http.get('/x', { responseType: 'stream' });

  it('is handed over at its headers; its permit ends with its last byte', async () => {
    let end = (): void => undefined;
    await start((_request, response) => {
      response.write('Hello ');
      end = () => void response.end('World');
    });
    const { data } = await open();
    expect(world.gate.open).toBe(1);
    end();
    expect(await text(data)).toBe('Hello World');
    await until(() => world.gate.open === 0);
  });

  it('case 33: is not begun anew once a byte was given away: it fails with BODY_TIMEOUT', async () => {
    await start(stall('H'), status(200, 'Hello World'));
    const { data } = await open();
    const seen: string[] = [];
    const failing = errorOf(text(data, seen));
    await until(() => seen.length === 1);
    await clock.advance(499);
    expect(world.gate.open).toBe(1);
    await clock.advance(1);
    expect(await failing).toMatchObject({ code: 'BODY_TIMEOUT', provider: 'crm' });
    expect(seen).toEqual(['H']);
    expect(provider.log).toHaveLength(1);
    await connectionEnds();
  });

  it('that nobody reads gives its permit back all the same', async () => {
    await start(stall('x'.repeat(1000)));
    await open();
    expect(world.gate.open).toBe(1);
    await clock.advance(500);
    await until(() => world.gate.open === 0);
    await connectionEnds();
  });

  it('ends its permit when its reader has had enough', async () => {
    await start(stall('first'));
    const { data } = await open();
    for await (const _ of data) break;
    await until(() => world.gate.open === 0);
    await connectionEnds();
  });

  it('is ended by the signal of its caller, also after the headers', async () => {
    await start(stall('first'));
    const controller = new AbortController();
    const { data } = await world.http.get('/x', { responseType: 'stream', signal: controller.signal });
    const failing = errorOf(text(data));
    controller.abort(new Error('enough'));
    await failing;
    await until(() => world.gate.open === 0);
    await connectionEnds();
  });

  it('is never shared', async () => {
    await start(ok);
    const both = await Promise.all([open(), open()]);
    expect(await Promise.all(both.map(({ data }) => text(data)))).toEqual(['{"ok":true}', '{"ok":true}']);
    expect(provider.log).toHaveLength(2);
  });

  it('whose headers do not come is bounded by the attempt, and torn down', async () => {
    await start(hang);
    world.runtime.update({ retry: { maxAttempts: 1 } });
    const failing = errorOf(open());
    await until(() => provider.log.length === 1);
    await clock.advance(10_000);
    expect(await failing).toMatchObject({ code: 'ATTEMPT_TIMEOUT' });
    await until(() => provider.sockets.size === 0);
  });
});
