import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { Redis } from 'ioredis';
import { concurrency, tokenBucket } from '../../libs/core/src/contract/builders.js';
import { FleetWorld, forMs, until } from './fleet-world.fixture.js';
import { OwnRedis } from './server.fixture.js';

const NODES = 3;

let nodes: OwnRedis[] = [];
let asked: Redis[] = [];
let world: FleetWorld | null = null;

beforeAll(async () => {
  for (let index = 0; index < NODES; index += 1) {
    nodes.push(await OwnRedis.start(['--cluster-enabled', 'yes', '--cluster-config-file', `sluice-${process.pid}-${index}.conf`])); // prettier-ignore
  }
  const addresses = nodes.map(({ port }) => `127.0.0.1:${port}`);
  execFileSync('redis-cli', ['--cluster', 'create', ...addresses, '--cluster-yes'], { stdio: 'ignore' });
  asked = nodes.map(({ port }) => new Redis(port, '127.0.0.1'));
  for (const node of asked)
    while (!String(await node.call('CLUSTER', 'INFO')).includes('cluster_state:ok')) await forMs(20);
});

afterEach(async () => {
  await world?.close();
  world = null;
});

afterAll(async () => {
  for (const node of asked) node.disconnect();
  for (const node of nodes) await node.kill();
  nodes.forEach((_, index) => rmSync(`/tmp/sluice-${process.pid}-${index}.conf`, { force: true }));
  nodes = [];
});

const two = () => nodes.slice(0, 2).map(({ port }) => ({ port, cluster: true }));
const gate = { gateTimeout: '2s', minProcesses: 2 } as const;

async function all(calls: number, workMs = 0): Promise<readonly string[]> {
  const ends = await Promise.all((world as FleetWorld).processes.map((one) => one.calls(calls, workMs)));
  return [...new Set(ends.flat())];
}

/** Moves the slot of a key to another node, its keys one by one, as an operator does. */
async function moveSlotOf(key: string): Promise<void> {
  const slot = String(await asked[0]?.call('CLUSTER', 'KEYSLOT', key));
  const ids = await Promise.all(asked.map(async (node) => String(await node.call('CLUSTER', 'MYID'))));
  const owners = await Promise.all(asked.map((node) => node.call('CLUSTER', 'COUNTKEYSINSLOT', slot)));
  const from = owners.findIndex((count) => Number(count) > 0);
  const to = (from + 1) % NODES;
  const [source, target] = [asked[from], asked[to]] as [Redis, Redis];
  await target.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', ids[from] as string);
  await source.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', ids[to] as string);
  const keys = (await source.call('CLUSTER', 'GETKEYSINSLOT', slot, '100')) as string[];
  for (const one of keys) {
    await source.call('MIGRATE', '127.0.0.1', String(nodes[to]?.port), one, '0', '1000');
    await forMs(10);
  }
  await Promise.all(asked.map((node) => node.call('CLUSTER', 'SETSLOT', slot, 'NODE', ids[to] as string)));
}

it('case 63: processes share a limit, with all keys in one slot', async () => {
  world = new FleetWorld({
    provider: { limits: [tokenBucket({ burst: 30, limit: 100, per: '1s' })] },
    processes: two(),
    gate,
  });
  expect(await all(40)).toEqual(['sent']);
  expect(world.excess()).toBeNull();
});

it('a permit that one process gives back reaches another by a hint through the shard', async () => {
  world = new FleetWorld({ provider: { limits: [concurrency({ limit: 1 })] }, processes: two(), gate });
  const [first, second] = world.processes as [FleetWorld['processes'][number], FleetWorld['processes'][number]];
  expect(await first.call()).toBe('sent');
  expect(await second.call()).toBe('sent');
  await forMs(300);
  const began = performance.now();
  const ends = await Promise.all([first.calls(5, 20), second.calls(5, 20)]);
  expect(new Set(ends.flat())).toEqual(new Set(['sent']));
  // Without hints each hand-over would take a poll of a second.
  expect(performance.now() - began).toBeLessThan(1_500 + world.latenessMs * 10);
  expect(world.excess()).toBeNull();
});

it('a slot that is moved meanwhile loses no call and lets none too many through', async () => {
  world = new FleetWorld({
    provider: { limits: [tokenBucket({ burst: 30, limit: 60, per: '1s' })] },
    processes: two(),
    gate,
  });
  expect(await all(5)).toEqual(['sent']);
  const meanwhile = all(50);
  await moveSlotOf(`${world.prefix}:1:{crm}:h`);
  expect(await meanwhile).toEqual(['sent']);
  await until(() => (world as FleetWorld).processes.every((one) => one.gate.health().status === 'up'));
  expect(await all(5)).toEqual(['sent']);
  expect(world.excess(2)).toBeNull();
});
