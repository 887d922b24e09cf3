import { casesOf } from '../fleet/cases.js';
import { model } from '../fleet/model.js';
import { NO_TIME } from '../fleet/modelled-store.js';

/** Twice what a step takes with real processes; and so much that a step of each of the eight takes more than half of the guard. */
const TAKES = [
  { ...NO_TIME, eachMs: 0.3, askMs: 0.05, settleMs: 0.02, standingMs: 0.02 },
  { ...NO_TIME, eachMs: 2 },
];

describe.each([
  ['tenants in fair order', true],
  ['first come, first served', false],
])('a store of one core, of which more is wanted than it has, in virtual time, %s:', (_order, tenants) => {
  const cases = casesOf(tenants).filter(({ name }) => name === 'partitions 300/s, accounts');

  it.each(cases.flatMap((one) => TAKES.map((takes) => ({ ...one, takes }))))(
    '$name: every call is sent, none is refused, and what there is is used, where steps take $takes',
    async ({ workload, takes, used, usedAtLeast, commandsAtMost }) => {
      const run = await model(workload, 1, takes);
      expect(run.silent).toBe(0);
      expect(run.refused).toBe(0);
      expect(run.excess).toBeNull();
      expect(used(run)).toBeGreaterThanOrEqual(usedAtLeast);
      expect(run.steps / run.seen.length).toBeLessThanOrEqual(commandsAtMost ?? Infinity);
    },
  );
});
