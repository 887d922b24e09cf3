import { concurrency, slidingWindow, tokenBucket } from '../../contract/builders.js';
import { GATES, near, type Options, Rig, slackOf } from './cases.fixture.js';

describe.each(GATES)('over %s', (_title, roundTripMs) => {
  const slackMs = slackOf(roundTripMs);
  const rigOf = (options: Options): Rig => new Rig(options, roundTripMs);

  it('case 42: permits of attempts that never end come back with their time limit, round after round', async () => {
    const rig = rigOf({ limits: [concurrency({ limit: 2 })] });
    for (let round = 0; round < 100; round += 1) {
      const before = rig.clock.monoMs();
      const calls = ['a', 'b', 'c'].map((name) => rig.call(name, 1_000, { attemptMs: 1_050 }, { end: 'no-answer' }));
      await rig.clock.advance(2_200);
      await Promise.all(calls);
      near(
        rig.log.splice(0).map(({ at }) => at - before),
        [0, 0, 1_000],
        slackMs,
      );
    }
    expect(rig.mostRunning).toBe(2);
    await rig.leavesNothing();
  });

  it('case 43: the wait in line is not counted as run time', async () => {
    const rig = rigOf({ limits: [concurrency({ limit: 1 })] });
    const calls = ['a', 'b', 'c'].map((name) => rig.call(name, 400, { attemptMs: 500 }));
    await rig.clock.advance(1_300);
    await Promise.all(calls);
    near(rig.starts(), [0, 400, 800], slackMs);
    expect(rig.refused).toEqual([]);
    await rig.leavesNothing();
  });

  it('case 43: a bound of the wait in line refuses the second and the third, with an error of its own', async () => {
    const rig = rigOf({ limits: [concurrency({ limit: 1 })] });
    const calls = ['a', 'b', 'c'].map((name) => rig.call(name, 400, { maxWaitMs: 300 }));
    await rig.clock.advance(500);
    await Promise.all(calls);
    near(rig.starts(), [0], slackMs);
    expect(rig.refused.map(({ name }) => name).sort()).toEqual(['b', 'c']);
    for (const refusal of rig.refused) expect(refusal).toMatchObject({ at: 300, code: 'QUEUE_WAIT_EXCEEDED' });
    await rig.leavesNothing();
  });

  it('case 45: a wall clock that steps changes nothing of the pace', async () => {
    const rig = rigOf({ limits: [tokenBucket({ burst: 1, limit: 5, per: '1s' })] });
    const calls = Array.from({ length: 12 }, (_, index) => rig.call(String(index), 0));
    await rig.clock.advance(500);
    rig.clock.stepWall(-3_600_000);
    await rig.clock.advance(500);
    rig.clock.stepWall(3_600_000);
    await rig.clock.advance(2_000);
    await Promise.all(calls);
    rig.log.forEach(({ at }, index) => {
      expect(at).toBeGreaterThanOrEqual(index * 200 - 0.01);
      expect(at).toBeLessThanOrEqual(index * 200 + slackMs * (index + 1) + 0.01);
    });
    await rig.leavesNothing();
  });

  it('case 47: of a thousand calls at once that do not wait exactly five pass a limit of five', async () => {
    const rig = rigOf({ limits: [tokenBucket({ burst: 5, limit: 5, per: '1s' })], queue: { maxSize: 2_000 } });
    const maxWaitMs = roundTripMs === 0 ? 0 : 50;
    const calls = Array.from({ length: 1_000 }, (_, index) => rig.call(String(index), 0, { maxWaitMs }));
    await rig.clock.advance(100);
    await Promise.all(calls);
    expect(rig.log).toHaveLength(5);
    expect(rig.refused).toHaveLength(995);
    expect(new Set(rig.refused.map(({ code }) => code))).toEqual(new Set(['QUEUE_WAIT_EXCEEDED']));
    await rig.leavesNothing();
  });

  it('case 57: a call after a long silence starts from nothing, without an error', async () => {
    const rig = rigOf({ dimensions: ['account'], limits: [tokenBucket({ burst: 2, limit: 2, per: '1m' })] });
    const twice = (): Promise<void>[] => ['a', 'b'].map((name) => rig.call(name, 0, { partition: { account: 'x' } }));
    const first = twice();
    await rig.clock.advance(3_600_000);
    await Promise.all(first);
    rig.log.length = 0;
    const from = rig.clock.monoMs();
    const second = twice();
    await rig.clock.advance(1_000);
    await Promise.all(second);
    near(
      rig.starts().map((at) => at - from),
      [0, 0],
      slackMs,
    );
    // Its bucket drains; then the partition is forgotten.
    await rig.clock.advance(61_000);
    await rig.leavesNothing();
  });

  it('case 59: calls beyond what is there wait for the next period; none vanishes', async () => {
    const rig = rigOf({ limits: [slidingWindow({ limit: 3, per: '3s' })] });
    const calls = Array.from({ length: 9 }, (_, index) => rig.call(String(index), 0));
    await rig.clock.advance(7_000);
    await Promise.all(calls);
    near(rig.starts(), [0, 0, 0, 3_000, 3_000, 3_000, 6_000, 6_000, 6_000], slackMs);
    await rig.leavesNothing();
  });

  it('case 156: the third queued call is started', async () => {
    const rig = rigOf({ limits: [concurrency({ limit: 1 })] });
    const calls = ['a', 'b', 'c'].map((name) => rig.call(name, 1_000));
    await rig.clock.advance(3_200);
    await Promise.all(calls);
    near(rig.starts(), [0, 1_000, 2_000], slackMs);
    await rig.leavesNothing();
  });
});
