import { casesOf, p99Of } from '../fleet/cases.js';
import { model } from '../fleet/model.js';

describe.each([
  ['tenants in fair order', true],
  ['first come, first served', false],
])('in virtual time, with lanes, reserve, guarantee, ceiling and hints on, %s:', (_order, tenants) => {
  // Nobody is killed in virtual time.
  const cases = casesOf(tenants).filter(({ workload }) => workload.mishaps === undefined);

  it.each(cases)('$name: $says', async ({ workload, used, usedAtLeast, commandsAtMost, quick }) => {
    const run = await model(workload);
    expect(run.excess).toBeNull();
    expect(used(run)).toBeGreaterThanOrEqual(usedAtLeast);
    expect(run.steps / run.seen.length).toBeLessThanOrEqual(commandsAtMost ?? Infinity);
    if (quick !== undefined) expect(p99Of(run.seen, quick.of)).toBeLessThanOrEqual(quick.p99Ms);
  });
});
