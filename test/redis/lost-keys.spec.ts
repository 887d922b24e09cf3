import { Redis } from 'ioredis';
import { concurrency, slidingWindow, tokenBucket } from '../../libs/core/src/contract/builders.js';
import { FleetWorld, until } from './fleet-world.fixture.js';

const url = process.env['REDIS_URL'] as string;
const port = Number(new URL(url).port);
const NAMES = ['h', 'st', 'sx', 'wt', 'wk', 'wx', 'ls', 'lx', 'lg', 'pl'];
const BURST = 20;

const redis = new Redis(url, { lazyConnect: true });
let world: FleetWorld;
afterEach(() => world.close());
afterAll(() => redis.quit());

it.each(NAMES)(
  'case 74: a server that deletes the key `%s` costs no call, and lets at most what was used be used again',
  async (name) => {
    world = new FleetWorld({
      provider: {
        limits: [
          tokenBucket({ burst: BURST, limit: 100, per: '1s' }),
          slidingWindow({ limit: 500, per: '1s' }),
          concurrency({ limit: 4, worksAfterTimeout: 0 }),
        ],
      },
      processes: [{ port }, { port }],
      gate: { gateTimeout: '10s' },
    });
    const calls = Promise.all(world.processes.map((one) => one.calls(25, 20, { attemptMs: 1_000 })));
    await until(() => world.visits.length >= 10);
    await redis.del(`${world.prefix}:1:{crm}:${name}`);
    expect(new Set((await calls).flat())).toEqual(new Set(['sent']));
    expect(world.excess(BURST)).toBeNull();
    const told = world.processes.flatMap(({ events }) => events.map(({ type }) => type));
    expect(told).not.toContain('outage');
  },
);
