// What is measured in bench/redis.mjs. Each is made in every process of a run, and offers `one()`: one attempt let through.
import Bottleneck from 'bottleneck';
import { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { createAdmission, defineProvider, SystemClock, systemRandom, tokenBucket } from '../dist/esm/core/src/index.js';
import { redisGate } from '../dist/esm/redis/src/index.js';
import { ask } from './gate.mjs';

/** Far above what can be asked for: nothing waits for the limit. */
const PER_SECOND = 1_000_000;
const answered = { end: 'answered', health: 'alive', refusal: null, trueUnits: null, seen: [] };

/** The least that a shared token bucket is: one key, Redis' time, one number. */
const GCRA = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local interval, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
local tat = math.max(now, tonumber(redis.call('GET', KEYS[1]) or 0)) + interval
if tat - now > burst * interval then return string.format('%.17g', tat - burst * interval - now) end
redis.call('SET', KEYS[1], string.format('%.17g', tat), 'PX', '60000')
return '0'
`;

export const subjects = {
  'EVALSHA of "return 1"': async (redis) => {
    const sha = await redis.script('LOAD', 'return 1');
    return { one: () => redis.evalsha(sha, 0), close() {} };
  },
  'one-bucket GCRA script': async (redis) => {
    const sha = await redis.script('LOAD', GCRA);
    const [interval, burst] = [String(1e6 / PER_SECOND), String(PER_SECOND)];
    return { one: () => redis.evalsha(sha, 1, 'gcra', interval, burst), close() {} };
  },
  RateLimiterRedis: (redis) => {
    const limiter = new RateLimiterRedis({ storeClient: redis, points: 1e9, duration: 60, keyPrefix: 'flexible' });
    return { one: () => limiter.consume('bench'), close() {} };
  },
  'Bottleneck, clustered': async (redis, url) => {
    const client = new Redis(url);
    const limiter = new Bottleneck({
      id: 'bench',
      connection: new Bottleneck.IORedisConnection({ client }),
      reservoir: 1e9,
      maxConcurrent: 100_000,
    });
    limiter.on('error', (error) => console.error(error));
    await limiter.ready();
    const nothing = async () => undefined;
    return { one: () => limiter.schedule(nothing), close: () => limiter.disconnect(false) };
  },
  'nestjs-sluice: admit + settle': (redis) => {
    const contract = defineProvider({
      name: 'bench',
      limits: [tokenBucket({ burst: PER_SECOND, limit: PER_SECOND, per: '1s' })],
    });
    const admission = openAdmission(contract, redis);
    const clock = new SystemClock();
    const one = async () => {
      const permit = await admission.admit(ask(clock, { tenant: '' }));
      permit.settle(answered);
    };
    return { one, close: () => admission.close() };
  },
};

export function openAdmission(contract, redis, processId = `bench-${process.pid}`) {
  return createAdmission({
    contract: contract.resolved,
    // A busy machine is no outage.
    gate: redisGate({ client: redis, gateTimeout: '10s' }),
    clock: new SystemClock(),
    random: systemRandom,
    events: { active: false, emit() {} },
    processId,
  });
}
