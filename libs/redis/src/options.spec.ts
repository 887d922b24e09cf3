import { Redis } from 'ioredis';
import {
  concurrency,
  defineProvider,
  fixedWindow,
  quota,
  slidingWindow,
  SystemClock,
  tokenBucket,
} from '../../core/src/index.js';
import { redisGate, type RedisGateOptions } from './index.js';
import { shareOf } from './outage/share.js';

const client = new Redis({ lazyConnect: true });
const env = { clock: new SystemClock(), processId: 'p' };

it.each<[string, unknown]>([
  ['client', { client: undefined }],
  ['client', { client: {} }],
  ['prefix', { prefix: 'a{b}' }],
  ['prefix', { prefix: '' }],
  ['outage', { outage: 'shut' }],
  ['gateTimeout', { gateTimeout: 0 }],
  ['gateTimeout', { gateTimeout: 'soon' }],
  ['gateTimeout', { gateTimeout: 2 ** 31 }],
  ['shards', { shards: 8 }],
  ['shardBy', { shardBy: '' }],
  ['minProcesses', { minProcesses: 0 }],
  ['shards', { shardBy: 'account', shards: 1.5 }],
  ['serializer', { serializer: {} }],
  ['without decode', { serializer: { encode: () => new Uint8Array() } }],
  ['timeout', { timeout: '1s' }],
])('case 75: a wrong `%s` is refused by name', (option, wrong) => {
  const make = () => redisGate({ client, ...(wrong as Partial<RedisGateOptions>) });
  expect(make).toThrow(expect.objectContaining({ code: 'CONFIG', message: expect.stringContaining(option) }));
});

it('`shardBy` is refused where a limit is not counted by it: it would be granted once for each shard', () => {
  const { resolved } = defineProvider({
    name: 'crm',
    dimensions: ['account', 'user'],
    limits: [concurrency({ limit: 1, countedBy: ['account'] }), tokenBucket({ name: 'app', burst: 1, limit: 1, per: '1s', countedBy: ['user'] })], // prettier-ignore
  });
  for (const [shardBy, found] of [
    ['account', 'limit "app"'],
    ['region', 'account, user'],
  ] as const) {
    // prettier-ignore
    const open = () => redisGate({ client, shardBy }).open(resolved, env);
    expect(open).toThrow(expect.objectContaining({ code: 'CONFIG', message: expect.stringContaining(found) }));
  }
});

describe('the parts of a contract', () => {
  const { resolved } = defineProvider({
    name: 'crm',
    limits: [
      tokenBucket({ burst: 30, limit: 60, per: '1m' }),
      concurrency({ limit: 9 }),
      slidingWindow({ limit: 100, per: '10s' }),
      fixedWindow({ limit: 400, per: '1m' }),
      quota({ limit: 4_000, per: 'day', timeZone: 'UTC' }),
      concurrency({ name: 'small', limit: 3 }),
    ],
  });

  it('never exceed the whole together, in any window of it', () => {
    const { contract, withheld } = shareOf(resolved, 4, false);
    expect([...withheld]).toEqual([5]);
    const most = contract.limits.map((limit) => ('burst' in limit ? limit.burst + limit.limit : limit.limit));
    expect(most.slice(1, 5).map((part) => part * 4)).toEqual([8, 100, 400, 4_000]);
    expect(contract.limits[0]).toMatchObject({ kind: 'token-bucket', burst: 7.5, limit: 15 });
  });

  it('leave what cannot be divided to the chosen process, whole', () => {
    const { contract, withheld } = shareOf(resolved, 4, true);
    expect(withheld.size).toBe(0);
    expect(contract.limits[5]).toMatchObject({ limit: 3 });
  });
});
