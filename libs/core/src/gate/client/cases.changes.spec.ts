import { concurrency, tokenBucket } from '../../contract/builders.js';
import { contractOf } from './gates.fixture.js';
import { GATES, near, type Options, Rig, slackOf } from './cases.fixture.js';

describe.each(GATES)('over %s', (_title, roundTripMs) => {
  const slackMs = slackOf(roundTripMs);
  const rigOf = (options: Options): Rig => new Rig(options, roundTripMs);

  it('case 54: new numbers refuse nobody, and all go on under them', async () => {
    const rig = rigOf({ limits: [concurrency({ limit: 3 })] });
    const calls = Array.from({ length: 8 }, (_, index) => rig.call(String(index), 1_000));
    await rig.clock.advance(500);
    rig.admission.update(contractOf({ guard: 0, limits: [concurrency({ limit: 8 })] }));
    await rig.clock.advance(4_000);
    await Promise.all(calls);
    expect(rig.refused).toEqual([]);
    near(rig.starts(), [0, 0, 0, 500, 500, 500, 500, 500], slackMs);
    await rig.leavesNothing();
  });

  it('case 54: limits of another kind refuse nobody either, and the order stays', async () => {
    const rig = rigOf({ limits: [concurrency({ limit: 3 })] });
    const calls = Array.from({ length: 8 }, (_, index) => rig.call(String(index), 1_000));
    await rig.clock.advance(500);
    rig.admission.update(
      contractOf({ guard: 0, limits: [tokenBucket({ name: 'rate', burst: 1, limit: 2, per: '1s' })] }),
    );
    await rig.clock.advance(4_000);
    await Promise.all(calls);
    expect(rig.refused).toEqual([]);
    expect(rig.log.map(({ name }) => name)).toEqual(['0', '1', '2', '3', '4', '5', '6', '7']);
    near(rig.starts().slice(3), [500, 1_000, 1_500, 2_000, 2_500], slackMs);
    await rig.leavesNothing();
  });

  it('case 54: a shutdown refuses those who wait and those who come, and gives the others their time', async () => {
    const rig = rigOf({ limits: [concurrency({ limit: 3 })] });
    const calls = Array.from({ length: 8 }, (_, index) => rig.call(String(index), 1_000));
    await rig.clock.advance(500);
    let drainedAt = 0;
    const drained = rig.admission.drain(5_000).then(() => (drainedAt = rig.clock.monoMs()));
    calls.push(rig.call('later', 0));
    await rig.clock.advance(0);
    expect(rig.refused.map(({ code }) => code)).toEqual(Array(6).fill('SHUTDOWN'));
    await rig.clock.advance(1_000);
    await Promise.all([...calls, drained]);
    expect(drainedAt).toBeGreaterThanOrEqual(1_000);
    expect(drainedAt).toBeLessThanOrEqual(1_000 + slackMs);
    await rig.leavesNothing();
  });

  it('case 54: a shutdown ends at its bound, however long an attempt takes', async () => {
    const rig = rigOf({ limits: [concurrency({ limit: 3 })] });
    const call = rig.call('long', 60_000);
    await rig.clock.advance(100);
    let drained = false;
    void rig.admission.drain(2_000).then(() => (drained = true));
    await rig.clock.advance(1_999);
    expect(drained).toBe(false);
    await rig.clock.advance(1);
    expect(drained).toBe(true);
    await rig.clock.advance(60_000);
    await call;
    await rig.leavesNothing();
  });
});
