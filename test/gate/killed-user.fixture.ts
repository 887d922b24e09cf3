/** A process that calls a provider as fast as its limits let it, until it is killed or told to end. */
import {
  concurrency,
  createProviderRuntime,
  defineProvider,
  EventHub,
  memoryGate,
  quota,
  slidingWindow,
  SystemClock,
  systemRandom,
  tokenBucket,
} from '../../libs/core/src/index.js';
import { sqliteStore } from '../../libs/sqlite/src/index.js';

export interface UserSettings {
  readonly url: string;
  readonly path: string;
  readonly processes: number;
  readonly quota: number;
}

const settings = JSON.parse(process.argv[2] as string) as UserSettings;
const clock = new SystemClock();
const store = await sqliteStore({ path: settings.path }).open({ clock });
const contract = defineProvider({
  name: 'crm',
  guard: '250ms',
  limits: [
    tokenBucket({ burst: 40, limit: 40, per: '1s' }),
    slidingWindow({ limit: 120, per: '4s' }),
    concurrency({ limit: 8 }),
    quota({ limit: settings.quota, per: 'day', timeZone: 'UTC' }),
  ],
  timeouts: { attempt: '1s' },
  retry: { maxAttempts: 1, budget: false },
  queue: { maxWait: '20s' },
});
const runtime = createProviderRuntime(contract, {
  clock,
  random: systemRandom,
  gate: memoryGate({ processes: settings.processes }),
  events: new EventHub(),
  processId: `${process.pid}-${Math.floor(clock.wallMs())}`,
  used: {
    load: () => store.loadUsed('crm'),
    save: (entries, keepMs) => store.saveUsed('crm', entries, keepMs),
  },
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
    // The quota is spent.
    if (!sent) return;
    process.send?.('sent');
  }
}

process.on('message', () => (ending = true));
process.send?.('started');
await Promise.all(Array.from({ length: 12 }, callOnAndOn));
await runtime.close();
await store.close();
process.disconnect?.();
