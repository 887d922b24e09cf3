import { concurrency, tokenBucket } from '../../libs/core/src/contract/builders.js';
import { FleetWorld, until } from './fleet-world.fixture.js';
import { OwnRedis } from './server.fixture.js';

const GATE_MS = 300;
const NO_WAIT = { maxWaitMs: 0 };

describe('`maxWait: 0` over Redis: nobody waits for the limits, all wait for the answer', () => {
  let redis: OwnRedis;
  let world: FleetWorld;

  beforeEach(async () => {
    redis = await OwnRedis.start();
    const limits = [tokenBucket({ burst: 1_000, limit: 1_000, per: '1s' }), concurrency({ limit: 20 })];
    const processes = [{ port: redis.port }, { port: redis.port }];
    world = new FleetWorld({ provider: { limits, outage: 'closed' }, processes, gate: { gateTimeout: GATE_MS } });
  });

  afterEach(async () => {
    await world.close();
    await redis.kill();
  });

  it('a call is sent where there is room for it, the first of a process, too, and many at once', async () => {
    expect(await world.process(0).call(0, NO_WAIT)).toBe('sent');
    expect(await world.process(1).call(0, NO_WAIT)).toBe('sent');
    expect(new Set(await world.process(0).calls(20, 1, NO_WAIT))).toEqual(new Set(['sent']));
  });

  it('a call is refused where all permits are out, and sent once one is back', async () => {
    const busy = world.process(0).calls(20, 1_000);
    await until(() => world.visits.length === 20);
    expect(await world.process(1).call(0, NO_WAIT)).toBe('QUEUE_WAIT_EXCEEDED');
    expect(new Set(await busy)).toEqual(new Set(['sent']));
    let code = '';
    const again = async () => (code = await world.process(1).call(0, NO_WAIT));
    for (let tries = 0; code !== 'sent' && tries < 100; tries += 1) await again();
    expect(code).toBe('sent');
  });

  it('a Redis that does not answer is waited for no longer than the time of the gate', async () => {
    expect(await world.process(0).call(0, NO_WAIT)).toBe('sent');
    redis.freeze();
    const began = performance.now();
    expect(await world.process(0).call(0, NO_WAIT)).toBe('GATE_UNAVAILABLE');
    const tookMs = performance.now() - began;
    redis.thaw();
    expect(tookMs).toBeGreaterThanOrEqual(GATE_MS - 1);
    expect(tookMs).toBeLessThan(3 * GATE_MS);
  });
});
