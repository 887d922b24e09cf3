import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import {
  concurrency,
  createProviderRuntime,
  defineProvider,
  EventHub,
  memoryGate,
  type ProviderRuntime,
  SystemClock,
  systemRandom,
  tokenBucket,
} from '../../libs/core/src/index.js';
import { type RedisGate, redisGate, type RedisGateOptions, type Serializer } from '../../libs/redis/src/index.js';
import { until } from './fleet-world.fixture.js';

const clock = new SystemClock();
const closing: (() => Promise<void>)[] = [];
let worlds = 0;

afterEach(async () => {
  while (closing.length > 0) await closing.pop()?.();
});

interface Member {
  readonly runtime: ProviderRuntime;
  readonly gate: RedisGate;
}

/** Applications that share a Redis: each with a client and a process id of its own. */
class World {
  private readonly prefix = `fleet-${process.pid}-${(worlds += 1)}`;
  private members = 0;

  constructor(
    private readonly options: Partial<Parameters<typeof defineProvider>[0]> = {},
    private readonly gateOptions: Partial<RedisGateOptions> = {},
  ) {}

  join(options: Partial<Parameters<typeof defineProvider>[0]> = {}): Member {
    const client = new Redis(process.env['REDIS_URL'] as string);
    const gate = redisGate({ prefix: this.prefix, gateTimeout: '2s', ...this.gateOptions, client });
    const provider = {
      name: 'crm',
      limits: [tokenBucket({ burst: 10, limit: 10, per: '1s' }), concurrency({ limit: 5 })],
    };
    const contract = defineProvider({ ...provider, ...this.options, ...options });
    const processId = `p${(this.members += 1)}`;
    const runtime = createProviderRuntime(contract, {
      clock,
      random: systemRandom,
      gate,
      events: new EventHub(),
      processId,
    });
    closing.push(async () => {
      await runtime.close();
      client.disconnect();
    });
    return { runtime, gate };
  }

  async keys(): Promise<readonly (readonly [string, string])[]> {
    const client = new Redis(process.env['REDIS_URL'] as string);
    const keys = await client.keys(`${this.prefix}:*`);
    const entries = await Promise.all(
      keys.map(async (key) => {
        const type = await client.type(key);
        const value = type === 'hash' ? await client.hgetall(key) : type === 'zset' ? await client.zrange(key, '0', '-1') : ''; // prettier-ignore
        return [key, JSON.stringify(value)] as const;
      }),
    );
    client.disconnect();
    return entries;
  }
}

const limitOf = ({ runtime }: Member): number => runtime.contract.limits[0]?.limit as number;

describe('new numbers for the fleet', () => {
  it('reach all processes, and those that start later; each patch goes on top of those before', async () => {
    const world = new World();
    const [first, second] = [world.join(), world.join()];
    await first.runtime.updateFleet({ limits: [tokenBucket({ burst: 20, limit: 20, per: '1s' })] });
    expect(limitOf(first)).toBe(20);
    await until(() => limitOf(second) === 20);
    await second.runtime.updateFleet({ mode: 'observe' });
    await until(() => first.runtime.contract.mode === 'observe');
    const late = world.join();
    await until(() => late.runtime.contract.mode === 'observe' && limitOf(late) === 20);
  });

  it('that no process may have are refused where they are asked for, and nothing is changed', async () => {
    const world = new World();
    const [first, second] = [world.join(), world.join()];
    const wrong = [{ limits: [tokenBucket({ burst: -1, limit: 20, per: '1s' })] }, { tenants: { weight: () => 2 } }];
    for (const patch of wrong) {
      await expect(first.runtime.updateFleet(patch)).rejects.toMatchObject({ code: 'CONFIG' });
    }
    expect([limitOf(first), limitOf(second)]).toEqual([10, 10]);
  });

  it('are refused by a gate of one process', async () => {
    const contract = defineProvider({ name: 'crm', limits: [concurrency({ limit: 1 })] });
    const deps = { clock, random: systemRandom, gate: memoryGate(), events: new EventHub(), processId: 'p' };
    const runtime = createProviderRuntime(contract, deps);
    await expect(runtime.updateFleet({ mode: 'observe' })).rejects.toMatchObject({ code: 'CONFIG' });
    await runtime.close();
  });
});

describe('inspect()', () => {
  it('shows what all processes have under way, and how many they are', async () => {
    const world = new World();
    const [first, second] = [world.join(), world.join()];
    let done = (): void => undefined;
    const held = new Promise<void>((resolve) => (done = resolve));
    const runs = [first, second].map(({ runtime }) => runtime.run(() => held, { tenant: 'acme' }));
    const seen = () => first.runtime.admission.inspect();
    let view = await seen();
    for (let tries = 0; tries < 200 && (view.gate.leases < 2 || view.active < 1); tries += 1) view = await seen();
    expect(view).toMatchObject({ active: 1, gate: { leases: 2, limits: [{ used: expect.any(Number) }, { used: 2 }] } });
    expect(view.gate.fleet).toMatchObject({ processes: 2 });
    const { lines } = view.gate.fleet as NonNullable<typeof view.gate.fleet>;
    expect(lines).toMatchObject([{ waiting: 0, active: 2 }]);
    expect(JSON.stringify(view)).not.toContain('acme');
    done();
    await Promise.all(runs);
  });
});

/** A token endpoint whose refresh tokens are good for one use. */
class TokenServer {
  valid = 1;
  refreshes = 0;
  /** What a vault of the application's own holds. */
  stored = 'secret-1';

  refresh = async () => {
    this.refreshes += 1;
    await new Promise((resolve) => void clock.schedule(50, () => resolve(null)));
    this.valid += 1;
    this.stored = `secret-${this.valid}`;
    return { headers: { authorization: this.stored } };
  };

  async call({ runtime }: Member): Promise<number> {
    const answer = ({ headers }: { readonly headers: Readonly<Record<string, string>> }) =>
      Promise.resolve(headers['authorization'] === `secret-${this.valid}` ? 200 : 401);
    const work = { safe: true, answer: (status: number | undefined) => ({ status: status ?? 500 }) };
    return runtime.run((context) => answer(context), work).catch((error: { status?: number }) => error.status ?? 0);
  }
}

function cipher(): Serializer {
  const key = randomBytes(32);
  return {
    encode: (plain) => {
      const iv = randomBytes(12);
      const sealing = createCipheriv('aes-256-gcm', key, iv);
      const sealed = Buffer.concat([sealing.update(plain), sealing.final()]);
      return Buffer.concat([iv, sealing.getAuthTag(), sealed]);
    },
    decode: (stored) => {
      const opening = createDecipheriv('aes-256-gcm', key, stored.subarray(0, 12));
      opening.setAuthTag(stored.subarray(12, 28));
      return Buffer.concat([opening.update(stored.subarray(28)), opening.final()]);
    },
  };
}

describe('case 36: credentials that have expired in two processes', () => {
  it.each<[string, Partial<RedisGateOptions>, boolean]>([
    ['without a serializer the others ask their own vault', {}, true],
    ['with one they are given the new ones', { serializer: cipher() }, false],
  ])('are renewed once: %s', async (_how, gateOptions, vault) => {
    const server = new TokenServer();
    const credentials = () => ({ headers: { authorization: vault ? server.stored : 'secret-1' } });
    const world = new World({ auth: { credentials, refresh: server.refresh } }, gateOptions);
    const members = [world.join(), world.join()];
    expect(await Promise.all(members.map((member) => server.call(member)))).toEqual([200, 200]);
    server.valid = 7;
    const calls = members.flatMap((member) => Array.from({ length: 5 }, () => server.call(member)));
    expect(await Promise.all(calls)).toEqual(Array(10).fill(200));
    expect(server.refreshes).toBe(1);
    // A process that comes later, with what is refused by now, takes over the newest.
    const late = world.join();
    expect(await server.call(late)).toBe(200);
    expect(server.refreshes).toBe(1);
    expect(JSON.stringify(await world.keys())).not.toContain('secret-');
  });
});
