import { Redis } from 'ioredis';
import { tokenBucket } from '../../libs/core/src/contract/builders.js';
import { type FleetProcess, FleetWorld, type ProcessSetup, until } from './fleet-world.fixture.js';
import { OwnRedis, Proxy } from './server.fixture.js';

const limits = [tokenBucket({ burst: 30, limit: 100, per: '1s' })];
const closed = { limits, outage: 'closed' } as const;
const GATE_MS = 200;

let redis: OwnRedis;
let proxy: Proxy;
let world: FleetWorld;

beforeEach(async () => {
  redis = await OwnRedis.start();
});

afterEach(async () => {
  await world.close();
  await proxy.close();
  await redis.kill();
});

async function joined(client: ProcessSetup['client'] = {}, delayMs = 0): Promise<FleetProcess> {
  proxy = await Proxy.to(redis.port, delayMs);
  const processes = [{ port: proxy.port, client }];
  world = new FleetWorld({ provider: closed, processes, gate: { gateTimeout: GATE_MS } });
  return world.process(0);
}

/** Calls until one is sent: how long that took, and what the others were told. */
async function untilSent(one: FleetProcess) {
  const began = performance.now();
  const codes = new Set<string>();
  for (;;) {
    const code = await one.call();
    if (code === 'sent') return { ms: performance.now() - began, codes: [...codes] };
    codes.add(code);
    await new Promise((resolve) => void setImmediate(resolve));
  }
}

it('case 61: a script that Redis does not keep is sent once more, whole; then `outage` applies', async () => {
  const one = await joined();
  expect(await one.call()).toBe('sent');
  proxy.withoutFunctions = "ERR unknown command 'FCALL'";
  proxy.refusal = 'NOSCRIPT none';
  expect(await one.call()).toBe('GATE_UNAVAILABLE');
  expect(proxy.refused).toBe(2);
  expect(new Set(await one.calls(20))).toEqual(new Set(['GATE_UNAVAILABLE']));
  expect(proxy.refused).toBeLessThanOrEqual(4);
});

it('a function that Redis has lost is loaded again, and no call is told of it', async () => {
  const one = await joined();
  expect(await one.call()).toBe('sent');
  const client = new Redis(redis.port);
  await client.function('FLUSH');
  expect(await one.call()).toBe('sent');
  expect(await client.function('LIST')).toHaveLength(1);
  client.disconnect();
});

it.each([
  ['there are none', ['--rename-command', 'FCALL', '']],
  ['it may not call any', '--user default on nopass ~* &* +@all -fcall'.split(' ')],
  ['it may not load any', '--user default on nopass ~* &* +@all -function'.split(' ')],
])('where %s, the gate is no function of Redis but a script', async (_, options) => {
  await redis.kill();
  redis = await OwnRedis.start(options);
  const one = await joined();
  expect(new Set(await one.calls(20))).toEqual(new Set(['sent']));
});

it.each([true, false])(
  'case 70: a command whose connection breaks is over within the time of the gate (sent again by the client: %s)',
  async (autoResendUnfulfilledCommands) => {
    const one = await joined({ autoResendUnfulfilledCommands });
    expect(await one.call()).toBe('sent');
    redis.freeze();
    const began = performance.now();
    const call = one.call();
    setTimeout(() => proxy.cut(), GATE_MS / 4);
    expect(await call).toBe('GATE_UNAVAILABLE');
    expect(performance.now() - began).toBeLessThan(2 * GATE_MS + world.latenessMs);
    redis.thaw();
    await until(() => one.gate.health().status === 'up');
    expect(await one.call()).toBe('sent');
    expect(world.excess()).toBeNull();
  },
);

describe('case 71: after', () => {
  it.each<[string, () => Promise<void>, () => Promise<void>]>([
    ['a server that was stopped', () => redis.kill(), () => redis.start()],
    ['one that had become a replica', async () => void (proxy.refusal = 'READONLY no'), async () => void (proxy.refusal = null)], // prettier-ignore
  ])('%s, which health told of, a call is sent within one look', async (_what, away, back) => {
    const one = await joined();
    expect(await one.call()).toBe('sent');
    await away();
    expect(await one.call()).toBe('GATE_UNAVAILABLE');
    expect(one.gate.health().status).toBe('down');
    await back();
    const { ms, codes } = await untilSent(one);
    expect(codes.filter((code) => code !== 'GATE_UNAVAILABLE')).toEqual([]);
    expect(ms).toBeLessThan(1_200 + world.latenessMs);
    expect(one.gate.health().status).toBe('up');
  });

  it('connections that were broken, calls are sent as if nothing had been', async () => {
    const one = await joined();
    for (let round = 0; round < 3; round += 1) {
      expect(await one.call()).toBe('sent');
      proxy.cut();
    }
    const { ms } = await untilSent(one);
    expect(ms).toBeLessThan(1_200 + world.latenessMs);
  });
});

it('case 72: a call in the tick in which the client begins to connect waits for it', async () => {
  const one = await joined({}, 300);
  expect(await one.call()).toBe('sent');
  expect(one.events.map(({ type }) => type)).not.toContain('outage');
});

it('case 72: where nothing is there to connect to, it is told so within a second and a half', async () => {
  await redis.kill();
  const one = await joined();
  const began = performance.now();
  expect(await one.call()).toBe('GATE_UNAVAILABLE');
  expect(performance.now() - began).toBeLessThan(1_000 + 2 * GATE_MS + world.latenessMs);
});
