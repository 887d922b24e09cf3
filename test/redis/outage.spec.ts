import { concurrency, tokenBucket } from '../../libs/core/src/contract/builders.js';
import { FleetProcess, FleetWorld, forMs, until } from './fleet-world.fixture.js';
import { OwnRedis, Proxy } from './server.fixture.js';

const limits = [tokenBucket({ burst: 30, limit: 100, per: '1s' })];
/** So that a busy machine is not taken for an outage. */
const GATE_MS = 400;
const gate = { gateTimeout: GATE_MS } as const;

let redis: OwnRedis;
let world: FleetWorld | null = null;

beforeAll(async () => {
  redis = await OwnRedis.start();
});

afterEach(async () => {
  redis.thaw();
  await world?.close();
  world = null;
});

afterAll(async () => {
  await redis.kill();
});

const two = () => [{ port: redis.port }, { port: redis.port }];

async function timed<T>(work: Promise<T>): Promise<{ readonly ms: number; readonly result: T }> {
  const began = performance.now();
  const result = await work;
  return { result, ms: performance.now() - began };
}

describe('while Redis answers', () => {
  it('case 49: processes share a limit: every call is sent, and the provider would refuse none', async () => {
    world = new FleetWorld({ provider: { limits }, processes: two(), gate: { gateTimeout: '2s' } });
    const ends = await Promise.all(world.processes.map((one) => one.calls(40)));
    expect(new Set(ends.flat())).toEqual(new Set(['sent']));
    expect(world.excess()).toBeNull();
    expect(world.process(0).gate.health()).toMatchObject({ status: 'up', providers: [{ status: 'up', cause: null }] });
  });
});

describe('a Redis that is silent', () => {
  it("`closed`: refuses a call within the gate's time, and the next one at once", async () => {
    world = new FleetWorld({ provider: { limits, outage: 'closed' }, processes: two(), gate });
    const [first] = world.processes as [FleetWorld['processes'][number]];
    expect(await first.call()).toBe('sent');
    redis.freeze();
    const waited = await timed(first.call());
    expect(waited.result).toBe('GATE_UNAVAILABLE');
    expect(waited.ms).toBeLessThan(2 * GATE_MS + world.latenessMs);
    const again = await timed(first.calls(20));
    expect(new Set(again.result)).toEqual(new Set(['GATE_UNAVAILABLE']));
    expect(again.ms).toBeLessThan(GATE_MS / 2 + world.latenessMs);
    expect(first.gate.health()).toMatchObject({ status: 'down', providers: [{ cause: 'SILENT', outage: 'closed' }] });
    redis.thaw();
    await until(() => first.gate.health().status === 'up');
    expect(await first.call()).toBe('sent');
    const told = first.events.filter(({ type }) => type === 'outage');
    expect(told).toMatchObject([{ state: 'began' }, { state: 'ended' }]);
  });

  it('`open`: sends everything, and charges it to Redis at the return', async () => {
    world = new FleetWorld({ provider: { limits, outage: 'open' }, processes: two(), gate });
    const [first, second] = world.processes as [FleetWorld['processes'][number], FleetWorld['processes'][number]];
    expect(await first.call()).toBe('sent');
    redis.freeze();
    expect(new Set(await first.calls(150))).toEqual(new Set(['sent']));
    redis.thaw();
    await until(() => first.gate.health().status === 'up');
    const waited = await timed(second.call());
    expect(waited.result).toBe('sent');
    // Of 150 calls some hundred still count after half a second; one goes when all but twenty have drained.
    expect(waited.ms).toBeGreaterThan(200);
  });

  it('`local-share`: each goes on with its part, begun empty, and together they stay within the limit', async () => {
    world = new FleetWorld({ provider: { limits }, processes: two(), gate });
    const { processes } = world;
    expect((await Promise.all(processes.map((one) => one.calls(15)))).flat()).toHaveLength(30);
    redis.freeze();
    const ends = await Promise.all(processes.map((one) => one.calls(40)));
    expect(new Set(ends.flat())).toEqual(new Set(['sent']));
    redis.thaw();
    await until(() => processes.every(({ gate }) => gate.health().status === 'up'));
    await Promise.all(processes.map((one) => one.calls(30)));
    // One may be back half a second before the other: until then that one's half comes on top.
    expect(world.excess(30)).toBeNull();
  });

  it('`local-share`: permits that are out count on, at the start and at the return', async () => {
    world = new FleetWorld({ provider: { limits: [concurrency({ limit: 4 })] }, processes: two(), gate });
    const { processes } = world;
    const before = processes.map((one) => one.calls(2, 700));
    await forMs(100);
    redis.freeze();
    const during = processes.map((one) => one.calls(6, 300));
    await forMs(1_200);
    redis.thaw();
    const after = processes.map((one) => one.calls(6, 100));
    const ends = await Promise.all([...before, ...during, ...after]);
    expect(new Set(ends.flat())).toEqual(new Set(['sent']));
    // One may be back before the other: until then that one's half comes on top.
    expect(world.excess(2)).toBeNull();
  });

  it('a limit too small to be divided is left to one process; the others refuse', async () => {
    const small = [tokenBucket({ burst: 1, limit: 10, per: '1s' })];
    world = new FleetWorld({ provider: { limits: small }, processes: two(), gate });
    const { processes } = world;
    await Promise.all(processes.map((one) => one.calls(2)));
    redis.freeze();
    const ends = await Promise.all(processes.map((one) => one.calls(5)));
    expect(ends.map((codes) => [...new Set(codes)]).sort()).toEqual([['GATE_UNAVAILABLE'], ['sent']]);
    expect(world.excess()).toBeNull();
  });

  it('nor is it left to two where one of them has come but now', async () => {
    const small = [tokenBucket({ burst: 1, limit: 10, per: '1s' })];
    world = new FleetWorld({ provider: { limits: small }, processes: [{ port: redis.port }], gate });
    const first = world.process(0);
    await first.call();
    // Whichever of the two is chosen: the newcomers' names come to either end of the order.
    for (const name of ['a', 'b', 'c', 'd']) {
      const later = new FleetProcess(world, name, { port: redis.port }, gate);
      try {
        await later.call();
        await first.call();
        redis.freeze();
        const ends = await Promise.all([first, later].map((one) => one.calls(3)));
        expect(ends.filter((codes) => codes.includes('sent')).length).toBeLessThanOrEqual(1);
        redis.thaw();
        await until(() => [first, later].every(({ gate }) => gate.health().status === 'up'));
      } finally {
        redis.thaw();
        await later.close();
      }
    }
    expect(world.excess()).toBeNull();
  });
});

describe.each(['BUSY Redis is busy', 'LOADING Redis is loading', 'READONLY no writes', 'OOM used memory', 'MOVED 1 127.0.0.1:1', 'NOSCRIPT none']) // prettier-ignore
('a Redis that answers %s', (refusal) => {
  it('case 158: is away until it does not', async () => {
    const proxy = await Proxy.to(redis.port);
    try {
      world = new FleetWorld({ provider: { limits, outage: 'closed' }, processes: [{ port: proxy.port }], gate });
      const one = world.process(0);
      expect(await one.call()).toBe('sent');
      proxy.refusal = refusal;
      const waited = await timed(one.call());
      expect(waited.result).toBe('GATE_UNAVAILABLE');
      expect(waited.ms).toBeLessThan(2 * GATE_MS + world.latenessMs);
      expect(one.gate.health().providers).toMatchObject([{ cause: refusal.split(' ')[0] }]);
      proxy.refusal = null;
      await until(() => one.gate.health().status === 'up');
      expect(await one.call()).toBe('sent');
    } finally {
      await proxy.close();
    }
  });
});
