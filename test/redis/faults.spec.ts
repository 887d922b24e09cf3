import { Redis } from 'ioredis';
import { concurrency, tokenBucket } from '../../libs/core/src/contract/builders.js';
import { FleetWorld, forMs, SkewedClock, until } from './fleet-world.fixture.js';
import { OwnRedis, Proxy } from './server.fixture.js';

const RATE = 100;
const BURST = 30;
const limits = [tokenBucket({ burst: BURST, limit: RATE, per: '1s' })];
/** What was used of it lasts. */
const slow = [tokenBucket({ burst: 30, limit: 20, per: '1s' })];
/** So that a busy machine is not taken for an outage. */
const patient = { gateTimeout: '2s' } as const;

let redis: OwnRedis;
let world: FleetWorld | null = null;

beforeEach(async () => {
  redis = await OwnRedis.start();
});

afterEach(async () => {
  redis.thaw();
  await world?.close();
  world = null;
  await redis.kill();
});

const two = () => [{ port: redis.port }, { port: redis.port }];

async function all(counts: number, workMs = 0): Promise<readonly string[]> {
  const { processes } = world as FleetWorld;
  const ends = await Promise.all(processes.map((one) => one.calls(counts, workMs)));
  return [...new Set(ends.flat())];
}

async function tell(...command: readonly [string, ...string[]]): Promise<unknown> {
  const client = new Redis(redis.port, '127.0.0.1');
  try {
    return await client.call(...command);
  } finally {
    client.disconnect();
  }
}

it('case 60: after SCRIPT FLUSH the next call is sent with one reload, and what was used is known', async () => {
  world = new FleetWorld({ provider: { limits }, processes: two(), gate: patient });
  expect(await all(20)).toEqual(['sent']);
  await tell('SCRIPT', 'FLUSH');
  expect(await all(20)).toEqual(['sent']);
  expect(world.excess()).toBeNull();
  const stats = String(await tell('INFO', 'commandstats'));
  expect(Number(/cmdstat_eval:calls=(\d+)/.exec(stats)?.[1])).toBeLessThanOrEqual(4 + 8);
});

it('a reply that is lost after Redis has done its step is asked for again, and nothing is counted twice', async () => {
  const proxy = await Proxy.to(redis.port);
  world = new FleetWorld({
    provider: { limits, lanes: { only: {} } },
    processes: [{ port: proxy.port }],
    gate: patient,
  });
  const one = world.process(0);
  try {
    expect(await one.call()).toBe('sent');
    await forMs(500);
    for (let round = 0; round < 5; round += 1) {
      proxy.cutReplies(1);
      expect(await one.call()).toBe('sent');
    }
    const used = (await one.admission.inspect()).gate.limits[0]?.used ?? Infinity;
    expect(used).toBeLessThanOrEqual(5);
    expect(one.gate.health().status).toBe('up');
    expect(world.excess()).toBeNull();
  } finally {
    await proxy.close();
  }
});

it('FLUSHALL: what processes know of their own use is charged anew', async () => {
  world = new FleetWorld({ provider: { limits: slow }, processes: two(), gate: patient });
  expect(await all(14)).toEqual(['sent']);
  await tell('FLUSHALL');
  expect(await all(10)).toEqual(['sent']);
  expect(world.excess(3)).toBeNull();
});

it('a Redis that is killed and comes back empty: calls go on, and no more arrives than one burst too much', async () => {
  world = new FleetWorld({ provider: { limits: slow }, processes: two(), gate: { minProcesses: 2 } });
  const { processes } = world;
  expect(await all(14)).toEqual(['sent']);
  await redis.kill();
  expect(await all(6)).toEqual(['sent']);
  await redis.start();
  await until(() => processes.every(({ gate }) => gate.health().status === 'up'));
  expect(await all(8)).toEqual(['sent']);
  expect(world.excess(3)).toBeNull();
});

it('permits that were out when Redis lost them count on', async () => {
  world = new FleetWorld({ provider: { limits: [concurrency({ limit: 4 })] }, processes: two(), gate: patient });
  const before = all(2, 1_000);
  await forMs(300);
  await tell('FLUSHALL');
  const after = all(6, 100);
  expect(await before).toEqual(['sent']);
  expect(await after).toEqual(['sent']);
  expect(world.excess(1)).toBeNull();
});

it.each([5 * 60_000, -5 * 60_000, 80])(
  'case 45: the wall clock of a process that is wrong by %d ms changes nothing',
  async (byMs) => {
    const processes = [{ port: redis.port }, { port: redis.port, clock: new SkewedClock(byMs) }];
    world = new FleetWorld({ provider: { limits }, processes, gate: patient });
    expect(await all(40)).toEqual(['sent']);
    expect(world.excess()).toBeNull();
  },
);

it('case 74: a server that may evict the keys is told of at the start', async () => {
  await tell('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
  world = new FleetWorld({ provider: { limits }, processes: [{ port: redis.port }], gate: patient });
  const one = world.process(0);
  await until(() => one.events.some(({ type }) => type === 'guess'));
  expect(one.events).toMatchObject([{ type: 'guess', about: expect.stringContaining('allkeys-lru') }]);
});

it('case 64: every key of the gate expires', async () => {
  world = new FleetWorld({
    provider: { limits: [...limits, concurrency({ limit: 50 })] },
    processes: two(),
    gate: patient,
  });
  expect(await all(20, 20)).toEqual(['sent']);
  const keys = (await tell('KEYS', '*')) as string[];
  expect(keys.length).toBeGreaterThan(3);
  const ttls = await Promise.all(keys.map(async (key) => [key, Number(await tell('PTTL', key)) > 0]));
  expect(ttls.filter(([, expires]) => !expires)).toEqual([]);
});
