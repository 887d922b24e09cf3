/** A process that calls a provider as fast as the limits that it shares with others let it, until it is killed or told to end. */
import { Redis } from 'ioredis';
import {
  concurrency,
  createProviderRuntime,
  defineProvider,
  EventHub,
  quota,
  SystemClock,
  systemRandom,
  tokenBucket,
} from '../../libs/core/src/index.js';
import { redisGate } from '../../libs/redis/src/index.js';

export interface UserSettings {
  readonly url: string;
  readonly redis: string;
  readonly prefix: string;
  readonly burst: number;
  readonly perSecond: number;
  readonly permits: number;
  readonly attemptMs: number;
  readonly quota: number;
}

const settings = JSON.parse(process.argv[2] as string) as UserSettings;
const client = new Redis(settings.redis);
const contract = defineProvider({
  name: 'crm',
  guard: '250ms',
  limits: [
    tokenBucket({ burst: settings.burst, limit: settings.perSecond, per: '1s' }),
    concurrency({ limit: settings.permits }),
    quota({ limit: settings.quota, per: 'day', timeZone: 'UTC' }),
  ],
  timeouts: { attempt: settings.attemptMs },
  retry: { maxAttempts: 1, budget: false },
  queue: { maxWait: '20s' },
});
const runtime = createProviderRuntime(contract, {
  clock: new SystemClock(),
  random: systemRandom,
  gate: redisGate({ client, prefix: settings.prefix, gateTimeout: '2s', minProcesses: 2 }),
  events: new EventHub(),
  processId: `${process.pid}-${Math.floor(systemRandom.next() * 1e9)}`,
});
let ending = false;

async function callOnAndOn(): Promise<void> {
  while (!ending) {
    const sent = await runtime
      .run(async ({ signal }) => fetch(settings.url, { signal }).then((answer) => answer.text()))
      .then(
        () => true,
        () => false,
      );
    if (sent) process.send?.('sent');
  }
}

process.on('message', () => (ending = true));
await Promise.all(Array.from({ length: 12 }, callOnAndOn));
await runtime.close();
client.disconnect();
process.disconnect?.();
