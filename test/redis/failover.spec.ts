import { Redis } from 'ioredis';
import { concurrency, tokenBucket } from '../../libs/core/src/contract/builders.js';
import { FleetWorld, until } from './fleet-world.fixture.js';
import { OwnRedis, Proxy } from './server.fixture.js';

/** A primary and its replica behind one address, and the way of the replication between them. */
async function pair() {
  const primary = await OwnRedis.start();
  const replication = await Proxy.to(primary.port);
  const replica = await OwnRedis.start(['--replicaof', '127.0.0.1', String(replication.port)]);
  const address = await Proxy.to(primary.port);
  const asked = new Redis(replica.port, '127.0.0.1');
  let inSync = false;
  while (!inSync) inSync = String(await asked.info('replication')).includes('master_link_status:up');
  return {
    address,
    /** From now on nothing that the primary does reaches the replica. */
    lag: () => {
      replication.deaf = true;
    },
    failOver: async () => {
      await primary.kill();
      await asked.call('REPLICAOF', 'NO', 'ONE');
      address.redirect(replica.port);
    },
    close: async () => {
      asked.disconnect();
      await address.close();
      await replication.close();
      await primary.kill();
      await replica.kill();
    },
  };
}

let servers: Awaited<ReturnType<typeof pair>>;
let world: FleetWorld | null = null;

beforeEach(async () => {
  servers = await pair();
});

afterEach(async () => {
  await world?.close();
  world = null;
  await servers.close();
});

const two = () => [{ port: servers.address.port }, { port: servers.address.port }];
const gate = { gateTimeout: '1s', minProcesses: 2 } as const;

async function all(calls: number, workMs = 0): Promise<readonly string[]> {
  const ends = await Promise.all((world as FleetWorld).processes.map((one) => one.calls(calls, workMs)));
  return [...new Set(ends.flat())];
}

const isUp = (): boolean => (world as FleetWorld).processes.every((one) => one.gate.health().status === 'up');

it('to a replica that lags: what it has not heard of is charged anew, and no call is lost', async () => {
  world = new FleetWorld({
    provider: { limits: [tokenBucket({ burst: 30, limit: 20, per: '1s' })] },
    processes: two(),
    gate,
  });
  expect(await all(1)).toEqual(['sent']);
  servers.lag();
  expect(await all(13)).toEqual(['sent']);
  await servers.failOver();
  expect(await all(12)).toEqual(['sent']);
  await until(isUp);
  expect(await all(5)).toEqual(['sent']);
  expect(world.excess(2)).toBeNull();
});

it('permits that only the old primary knew of count on', async () => {
  world = new FleetWorld({ provider: { limits: [concurrency({ limit: 4 })] }, processes: two(), gate });
  expect(await all(1)).toEqual(['sent']);
  servers.lag();
  const before = all(2, 1_500);
  await until(() => (world as FleetWorld).visits.length === 6);
  await servers.failOver();
  const after = all(4, 50);
  expect(await before).toEqual(['sent']);
  expect(await after).toEqual(['sent']);
  // Of the four, two are the other's, which may be back later.
  expect(world.excess(2)).toBeNull();
});

it('to a replica that has never heard of a process: what that used is charged anew', async () => {
  const limits = [tokenBucket({ burst: 30, limit: 10, per: '1s' })];
  world = new FleetWorld({ provider: { limits }, processes: two(), gate });
  const [known, unknown] = [world.process(0), world.process(1)];
  expect(await known.call()).toBe('sent');
  servers.lag();
  expect(new Set(await unknown.calls(27))).toEqual(new Set(['sent']));
  await servers.failOver();
  expect(new Set(await unknown.calls(20))).toEqual(new Set(['sent']));
  expect(world.excess(2)).toBeNull();
});
