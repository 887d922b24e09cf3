import { concurrency, tokenBucket } from '../../contract/builders.js';
import { GATES, type Options, Rig, slackOf } from './cases.fixture.js';

describe.each(GATES)('over %s', (_title, roundTripMs) => {
  const slackMs = slackOf(roundTripMs);
  const rigOf = (options: Options): Rig => new Rig(options, roundTripMs);

  it('case 44: after a pause of the whole provider all lines go on, not the first alone', async () => {
    const routes = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [name, `GET /${name}`]));
    const rig = rigOf({
      routes,
      limits: [
        tokenBucket({ name: 'global', burst: 50, limit: 50, per: '1s' }),
        ...Object.keys(routes).map((name) => tokenBucket({ name, burst: 10, limit: 10, per: '1s', routes: [name] })),
      ],
    });
    const refused = rig.call('first', 0, {}, { health: 'none', refusal: { limitName: 'global', waitMs: 1_000 } });
    await rig.clock.advance(20);
    await refused;
    const paused = rig.clock.monoMs() - 20;
    const calls = Object.keys(routes).map((route) => rig.call(route, 10, { route }));
    await rig.clock.advance(1_500);
    await Promise.all(calls);
    const starts = rig.log.slice(1).map(({ at }) => at - paused);
    expect(starts).toHaveLength(5);
    expect(Math.min(...starts)).toBeGreaterThanOrEqual(1_000);
    expect(Math.max(...starts)).toBeLessThanOrEqual(1_000 + 10 + 10 + slackMs * 2);
    expect(rig.events.events).toMatchObject([
      { type: 'pause', state: 'started', provider: 'crm', countedBy: [] },
      { type: 'pause', state: 'ended', provider: 'crm', countedBy: [] },
    ]);
    await rig.leavesNothing();
  });

  it('case 50: a more urgent call that arrives later goes first as soon as the limit lets anybody go', async () => {
    const rig = rigOf({
      limits: [tokenBucket({ burst: 1, limit: 1, per: '1s' })],
      lanes: { high: {}, low: {} },
    });
    const calls = Array.from({ length: 5 }, (_, index) => rig.call(`low ${index}`, 0, { lane: 1 }));
    await rig.clock.advance(1_500);
    calls.push(rig.call('high', 0, { lane: 0 }));
    await rig.clock.advance(6_000);
    await Promise.all(calls);
    expect(rig.log.map(({ name }) => name)).toEqual(['low 0', 'low 1', 'high', 'low 2', 'low 3', 'low 4']);
    expect(rig.log[2]?.at).toBeGreaterThanOrEqual(2_000 - 0.01);
    expect(rig.log[2]?.at).toBeLessThanOrEqual(2_000 + slackMs * 2 + 0.01);
    await rig.leavesNothing();
  });

  it('case 51: a lane with a guarantee is served below a more urgent one that wants everything; without it is not', async () => {
    for (const guarantee of [0.1, 0]) {
      const rig = rigOf({
        limits: [tokenBucket({ burst: 1, limit: 10, per: '1s' })],
        lanes: { high: {}, low: { guarantee } },
        queue: { maxSize: 10_000 },
      });
      const calls: Promise<void>[] = [];
      const late = rig.call('late', 0, { lane: 1, deadlineMono: 20 });
      for (let tick = 0; tick < 100; tick += 1) {
        calls.push(rig.call('high', 0, { lane: 0 }));
        if (tick === 0) calls.push(rig.call('low', 0, { lane: 1 }));
        await rig.clock.advance(1_000 / 12);
      }
      const low = rig.log.find(({ name }) => name === 'low')?.at ?? Infinity;
      if (guarantee > 0) expect(low).toBeLessThan(5_000);
      else expect(low).toBe(Infinity);
      await rig.clock.advance(5_000);
      await Promise.all([...calls, late]);
      await rig.leavesNothing();
    }
  });

  it('case 51: a call whose deadline has passed while it waited is dropped unsent', async () => {
    const rig = rigOf({ limits: [concurrency({ limit: 1 })] });
    const calls = [rig.call('long', 1_000), rig.call('late', 0, { deadlineMono: 500 })];
    await rig.clock.advance(1_100);
    await Promise.all(calls);
    expect(rig.log.map(({ name }) => name)).toEqual(['long']);
    expect(rig.refused).toEqual([{ at: 500, name: 'late', code: 'DEADLINE_EXCEEDED' }]);
    await rig.leavesNothing();
  });

  it('case 52: a call held up in one partition does not slow the pace of another', async () => {
    const rig = rigOf({
      dimensions: ['account'],
      limits: [tokenBucket({ burst: 1, limit: 1, per: '2s' })],
    });
    const refused = rig.call(
      'b',
      0,
      { partition: { account: 'b' } },
      { health: 'none', refusal: { limitName: null, waitMs: 30_000 } },
    );
    await rig.clock.advance(20);
    await refused;
    const held = rig.call('held', 0, { partition: { account: 'b' } });
    const from = rig.clock.monoMs();
    const calls = Array.from({ length: 10 }, (_, index) => rig.call(String(index), 0, { partition: { account: 'a' } }));
    await rig.clock.advance(25_000);
    await Promise.all(calls);
    const starts = rig.log.slice(1).map(({ at }) => at - from);
    starts.forEach((at, index) => {
      expect(at).toBeGreaterThanOrEqual(index * 2_000 - 0.01);
      expect(at).toBeLessThanOrEqual(index * 2_000 + slackMs * (index + 1) + 0.01);
    });
    await rig.clock.advance(10_000);
    await held;
    await rig.leavesNothing();
  });

  it('case 53: five thousand calls behind permits and a rate never stop flowing', async () => {
    const rig = rigOf({
      limits: [concurrency({ limit: 5 }), tokenBucket({ burst: 1, limit: 12, per: '1s' })],
      queue: { maxSize: 6_000 },
    });
    const calls = Array.from({ length: 5_000 }, (_, index) => rig.call(String(index), 100));
    await rig.clock.advance(460_000);
    await Promise.all(calls);
    const starts = rig.starts();
    expect(starts).toHaveLength(5_000);
    const gaps = starts.slice(1).map((at, index) => at - (starts[index] as number));
    expect(Math.max(...gaps)).toBeLessThanOrEqual(1_000 / 12 + slackMs * 2 + 1);
    expect(starts.at(-1)).toBeLessThanOrEqual((4_999 / 12) * 1_000 * 1.01 + 4_999 * roundTripMs);
    expect(rig.log.map(({ name }) => name)).toEqual(calls.map((_, index) => String(index)));
    await rig.leavesNothing();
  }, 120_000);
});
