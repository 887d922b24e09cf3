import { quota, tokenBucket } from '../../contract/builders.js';
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

it('a gate elsewhere that grants all it is asked for is asked at once, whatever the guard is', async () => {
  for (const guard of [0, '100ms'] as const) {
    const clock = new VirtualClock();
    const admission = createAdmission({
      contract: contractOf({ limits: [tokenBucket({ burst: 1e6, limit: 1e6, per: '1s' })], guard }),
      gate: delayed(memoryGate(), clock, () => 1),
      clock,
      random: systemRandom,
      events: recorder(),
      processId: 'p',
    });
    const fromMono = clock.monoMs();
    for (let i = 0; i < 300; i += 1) {
      const permit = await clock.advanceUntil(Promise.resolve(admission.admit(request())));
      permit.settle(settlement());
    }
    expect(clock.monoMs() - fromMono).toBeLessThan(400);
    await clock.advanceUntil(admission.close());
  }
});
