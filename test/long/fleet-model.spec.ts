import { shareOfBucket } from '../fleet/judge.js';
import { model } from '../fleet/model.js';
import type { Workload } from '../fleet/world.js';

const PROCESSES = 1_000;
const [BURST, PER_SECOND, FOR_MS] = [1_000, 1_000, 10_000];
const users = { count: 10_000, accounts: 100, tenants: 20 };

/** 10,000 users in 1,000 processes, each user with a limit of its own, within that of the whole provider. */
function workload(wantedPerSecond: number): Workload {
  const load = (lane: string, share: number) => {
    const perSecond = (wantedPerSecond * share) / PROCESSES;
    return { lane, tenant: '', pattern: { kind: 'poisson', perSecond, forMs: FOR_MS }, users } as const;
  };
  return {
    processes: PROCESSES,
    plan: {
      name: 'many',
      limits: [
        { kind: 'token-bucket', name: 'user', burst: 5, perSecond: 1, countedBy: ['user'] },
        { kind: 'token-bucket', name: 'rate', burst: BURST, perSecond: PER_SECOND },
      ],
      lanes: { interactive: { reserve: { rate: 10 } }, background: { guarantee: 0.1 } },
      tenants: true,
    },
    loadsOf: () => [load('interactive', 0.1), load('background', 0.9)],
  };
}

describe('1,000 processes and 10,000 partitions, in virtual time', () => {
  it.each([
    [800, 3.2],
    [1_500, 4.5],
  ])('%s calls a second take at most %s commands each', async (wanted, most) => {
    const run = await model(workload(wanted));
    const commands = run.steps / run.seen.length;
    const used = shareOfBucket(run.seen, BURST, PER_SECOND, run.fromMs, run.fromMs + FOR_MS);
    console.log(
      `${wanted}/s: ${run.seen.length} calls, ${commands.toFixed(2)} commands and ${(run.hints / run.seen.length).toFixed(2)} hints a call, at most ${run.peak} commands a second, ${used.toFixed(3)} of the limit used`,
    );
    expect(run.excess).toBeNull();
    expect(commands).toBeLessThanOrEqual(most);
  });
});
