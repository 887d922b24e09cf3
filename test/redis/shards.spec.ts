import { Redis } from 'ioredis';
import { concurrency, tokenBucket } from '../../libs/core/src/contract/builders.js';
import { FleetWorld, until } from './fleet-world.fixture.js';

const port = Number(new URL(process.env['REDIS_URL'] as string).port);
const provider = {
  dimensions: ['account'],
  limits: [tokenBucket({ burst: 20, limit: 40, per: '1s' }), concurrency({ limit: 4 })],
};
const accounts = ['a', 'b', 'c', 'd', 'e', 'f'];

let world: FleetWorld;

beforeEach(() => {
  const gate = { shardBy: 'account', shards: 4, gateTimeout: '2s' } as const;
  world = new FleetWorld({ provider, processes: [{ port }, { port }], gate });
});

afterEach(() => world.close());

it('each account keeps within its limits over all processes, and every call is sent', async () => {
  const { processes } = world;
  const work = processes.flatMap((one) => accounts.map((account) => one.calls(12, 5, { partition: { account } })));
  expect(new Set((await Promise.all(work)).flat())).toEqual(new Set(['sent']));
  expect(world.excess()).toBeNull();
  const client = new Redis(port, '127.0.0.1');
  const tags = new Set((await client.keys(`${world.prefix}:*`)).map((key) => /\{(.+)\}/.exec(key)?.[1]));
  client.disconnect();
  expect([...tags].filter((tag) => tag?.startsWith('crm:')).length).toBeGreaterThan(1);
});

it("an operator's pause of the provider holds in every piece, and inspect() adds the pieces up", async () => {
  const [one, two] = world.processes as [FleetWorld['processes'][number], FleetWorld['processes'][number]];
  await Promise.all(accounts.map((account) => one.call(0, { partition: { account } })));
  one.admission.pause(null, 60_000);
  await until(() => one.events.filter(({ type }) => type === 'pause').length >= 4);
  const refused = accounts.map((account) => two.call(0, { partition: { account }, maxWaitMs: 100 }));
  expect(await Promise.all(refused)).toEqual(accounts.map(() => 'PAUSED'));
  expect((await two.admission.inspect()).gate).toMatchObject({ partitions: accounts.length, pauses: { length: 4 } });
  one.admission.resume(null);
  await until(() => one.events.filter((event) => event.type === 'pause' && event.state === 'ended').length >= 4);
  expect(await two.call(0, { partition: { account: 'a' } })).toBe('sent');
});
