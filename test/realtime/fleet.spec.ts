import { refusedOf, shareOfBurst } from '../fleet/judge.js';
import { Fleet, PROGRAMS, type Workload } from '../fleet/world.js';
import { compileSources } from '../support/compiled.js';

const [BURST, PER_SECOND, PROCESSES, EACH] = [30, 50, 4, 50];

const workload: Workload = {
  processes: PROCESSES,
  plan: {
    name: 'items',
    limits: [{ kind: 'token-bucket', name: 'rate', burst: BURST, perSecond: PER_SECOND }],
    lanes: { interactive: { reserve: { rate: 1 } }, background: { guarantee: 0.1 } },
    tenants: true,
  },
  loadsOf: (process) => [
    {
      lane: process < PROCESSES / 2 ? 'interactive' : 'background',
      tenant: `t${process}`,
      pattern: { kind: 'at-once', calls: EACH },
    },
  ],
};

describe('real processes that share a gate in a real Redis', () => {
  it('all their calls succeed without a refusal, as fast as the bucket lets them', async () => {
    const compiled = await compileSources(PROGRAMS);
    const fleet = new Fleet(compiled);
    try {
      const { seen, ends } = await fleet.run('four processes', workload);
      expect(ends).toEqual({ succeeded: PROCESSES * EACH, left: 0, failures: [] });
      expect(refusedOf(seen)).toBe(0);
      expect(shareOfBurst(seen, BURST, PER_SECOND, 1)).toBeGreaterThanOrEqual(0.97);
    } finally {
      await fleet.end();
      await compiled.remove();
    }
  }, 180_000);
});
