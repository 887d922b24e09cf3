import { quota } from '../../contract/builders.js';
import { VirtualClock } from '../../../../testing/src/index.js';
import { systemRandom } from '../../index.js';
import { createAdmission } from './create-admission.js';
import { memoryGate } from '../memory/memory-gate.js';
import { contractOf, delayed, recorder, request, settlement } from './gates.fixture.js';

describe('a gate elsewhere whose reply comes too late for the guard', () => {
  const open = (clock: VirtualClock, roundTripMs: () => number) =>
    createAdmission({
      contract: contractOf({ limits: [quota({ limit: 12, per: 'day', volatile: true })] }),
      gate: delayed(memoryGate(), clock, roundTripMs),
      clock,
      random: systemRandom,
      events: recorder(),
      processId: 'p',
    });

  it('refuses nobody for what its returned grants had been charged', async () => {
    const clock = new VirtualClock();
    let steps = -Infinity;
    // The second of the last steps, which asks for all but the first call, is slow on its way and back.
    const admission = open(clock, () => ((steps += 1) === 2 ? 160 : 1));
    for (let i = 0; i < 2; i += 1) {
      const permit = await clock.advanceUntil(Promise.resolve(admission.admit(request())));
      permit.settle(settlement());
      await clock.advance(100);
    }
    steps = 0;
    const ends = await clock.advanceUntil(
      Promise.allSettled(
        Array.from({ length: 20 }, async () => (await admission.admit(request())).settle(settlement())),
      ),
    );
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    const codes = ends.flatMap((end) => (end.status === 'rejected' ? [(end.reason as { code: string }).code] : []));
    expect(codes).toEqual(Array(10).fill('QUOTA_EXHAUSTED'));
    await clock.advanceUntil(admission.close());
  });

  it('that always does refuses who cannot start in the end', async () => {
    const clock = new VirtualClock();
    const admission = open(clock, () => 160);
    const ends = await clock.advanceUntil(
      Promise.allSettled(
        Array.from({ length: 20 }, async () => (await admission.admit(request())).settle(settlement())),
      ),
    );
    expect(ends.filter(({ status }) => status === 'rejected').length).toBeGreaterThanOrEqual(8);
    await clock.advanceUntil(admission.close());
  });
});
