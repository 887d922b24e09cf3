import { type Compiled, compileSources } from '../../support/compiled.js';
import { type Case, casesOf, p99Of } from '../cases.js';
import { commandsPerCall, percentile, refusedOf, waitsOf } from '../judge.js';
import { attemptMsOf, GUARD_MS } from '../plan.js';
import { Results } from '../results.js';
import { W4, w4 } from '../workloads.js';
import { Fleet, type Outcome, PROGRAMS } from '../world.js';

const RUN_MS = 600_000;
/** Beyond the end of its lease, until a permit of the dead is in use again. */
const SOON_MS = 1_000;

let compiled: Compiled;
let fleet: Fleet;
const results = new Results();

beforeAll(async () => {
  compiled = await compileSources(PROGRAMS);
  fleet = new Fleet(compiled);
}, 120_000);

afterAll(async () => {
  await fleet.end();
  await compiled.remove();
  results.print();
});

describe.each([
  ['tenants in fair order', true],
  ['first come, first served', false],
])('processes that share a gate, with lanes, reserve, guarantee, ceiling and hints on, %s:', (_order, tenants) => {
  it.each(casesOf(tenants))(
    '$name: $says',
    async (one) => {
      const outcome = await fleet.run(one.name, one.workload);
      show(one, tenants, outcome);
      expect(outcome.ends.failures).toEqual([]);
      expect(refusedOf(outcome.seen)).toBe(0);
      expect(one.used(outcome)).toBeGreaterThanOrEqual(one.usedAtLeast);
      expect(commandsPerCall(outcome)).toBeLessThanOrEqual(one.commandsAtMost ?? Infinity);
      if (one.quick !== undefined) expect(p99Of(outcome.seen, one.quick.of)).toBeLessThanOrEqual(one.quick.p99Ms);
    },
    RUN_MS,
  );
});

it(
  'permits of killed processes are in use again within their lease and a second',
  async () => {
    const workload = w4(true);
    const { seen, fromMs } = await fleet.run('W4', workload);
    const leaseMs = attemptMsOf(workload.plan) + GUARD_MS;
    const alive = seen.filter(({ process }) => !W4.killed.includes(process));
    const fullAgainMs = firstFull(alive, W4.permits, fromMs + W4.killedAtMs) - fromMs - W4.killedAtMs;
    console.log(
      `all permits are in use by the living ${fullAgainMs.toFixed(0)} ms after the kill, of a lease of ${leaseMs} ms`,
    );
    expect(fullAgainMs).toBeLessThanOrEqual(leaseMs + SOON_MS);
  },
  RUN_MS,
);

function show({ name, used, quick }: Case, tenants: boolean, outcome: Outcome): void {
  const waits = waitsOf(outcome.seen.filter(quick?.of ?? (() => true)));
  const [p50, p99] = [percentile(waits, 0.5), percentile(waits, 0.99)].map((ms) => ms.toFixed(0));
  const whose = quick === undefined ? 'all' : 'the quick';
  results.add(`${name}, ${tenants ? 'tags' : 'fifo'}`, outcome, used(outcome), `${whose} wait ${p50} / ${p99} ms`);
}

/** The first moment after `fromMs` at which so many of these requests are under way. */
function firstFull(seen: Outcome['seen'], permits: number, fromMs: number): number {
  const moments = seen.map(({ atMs }) => atMs).filter((atMs) => atMs >= fromMs);
  const full = moments.find((moment) => {
    const active = seen.filter(({ atMs, endedMs }) => atMs <= moment && (endedMs ?? Infinity) > moment);
    return active.length >= permits;
  });
  return full ?? Infinity;
}
