import { type Compiled, compileSources } from '../../support/compiled.js';
import { guarded, refusedOf, spanOf } from '../judge.js';
import type { Peer, PeerVerbs } from '../peer.js';
import type { ProviderPlan } from '../plan.js';
import type { ProviderVerbs, Seen } from '../provider.js';
import { Remote } from '../remote.js';
import { Store } from '../store.js';
import { Fleet, PROGRAMS, type Workload } from '../world.js';

const [CALLS, BURST, PER_SECOND, PROCESSES] = [500, 30, 50, 4];
const PEERS: readonly Peer[] = [
  'Bottleneck, clustered',
  'RateLimiterRedis and its queue',
  'p-queue in each process',
  'axios-retry alone',
];
const READY_MS = 1_500;

const plan: ProviderPlan = {
  name: 'items',
  limits: [{ kind: 'token-bucket', name: 'rate', burst: BURST, perSecond: PER_SECOND }],
};
const workload: Workload = {
  processes: PROCESSES,
  plan,
  loadsOf: () => [{ lane: 'default', tenant: '', pattern: { kind: 'at-once', calls: CALLS / PROCESSES } }],
};
const rows: string[][] = [];
let compiled: Compiled;

beforeAll(async () => {
  compiled = await compileSources([...PROGRAMS, 'test/fleet/peer.ts']);
}, 120_000);

afterAll(async () => {
  await compiled.remove();
  const table = [
    ['500 calls at once, 4 processes, B = 30, r = 50/s', 'succeeded', 'refused', 's', 'of the least'],
    ['---', '---:', '---:', '---:', '---:'],
    ...rows,
  ];
  process.stdout.write(`\n${table.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n`);
});

it('500 calls at once of 4 processes all succeed without a refusal, within 1.03 times what B and r allow', async () => {
  const fleet = new Fleet(compiled);
  try {
    const { seen, ends } = await fleet.run('500 calls', workload);
    note('nestjs-sluice', seen, ends.succeeded);
    expect(ends).toEqual({ succeeded: CALLS, left: 0, failures: [] });
    expect(refusedOf(seen)).toBe(0);
    expect(timesTheLeast(seen)).toBeLessThanOrEqual(1.03);
  } finally {
    await fleet.end();
  }
}, 300_000);

it.each(PEERS)(
  '%s does the same work, each in its own way',
  async (peer) => {
    const store = await Store.start();
    const provider = await Remote.start<ProviderVerbs>(compiled.program('test/fleet/provider.ts'));
    const start = () => Remote.start<PeerVerbs>(compiled.program('test/fleet/peer.ts'));
    const processes = await Promise.all(Array.from({ length: PROCESSES }, start));
    try {
      const url = await provider.ask('open', { plan, port: 0 });
      const fromMs = performance.timeOrigin + performance.now() + READY_MS;
      const wanted = { peer, url, redisUrl: store.url, processes: PROCESSES, calls: CALLS / PROCESSES, perSecond: PER_SECOND, burst: BURST, fromMs }; // prettier-ignore
      const succeeded = await Promise.all(processes.map((one) => one.ask('run', wanted)));
      const { seen } = await provider.ask('read');
      note(peer, seen, succeeded.reduce((sum, count) => sum + count, 0)); // prettier-ignore
      expect(seen.length).toBeGreaterThanOrEqual(CALLS);
    } finally {
      await Promise.all([provider, ...processes].map((one) => one.end()));
      store.stop();
    }
  },
  300_000,
);

function note(name: string, seen: readonly Seen[], succeeded: number): void {
  const [first, last] = spanOf(seen);
  const seconds = ((last - first) / 1_000).toFixed(2);
  rows.push([name, String(succeeded), String(refusedOf(seen)), seconds, timesTheLeast(seen).toFixed(3)]);
}

/** From the first to the last that arrived, to what B' and r' take for as many. */
function timesTheLeast(seen: readonly Seen[]): number {
  const { burst, perMs } = guarded(BURST, PER_SECOND);
  const [first, last] = spanOf(seen);
  return (last - first) / ((CALLS - burst) / perMs);
}
