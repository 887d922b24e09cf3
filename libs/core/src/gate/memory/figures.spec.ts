import { fixedWindow, quota, slidingWindow, tokenBucket } from '../../contract/builders.js';
import type { LimitOptions } from '../../contract/options.js';
import { Lab, MINUTE, SECOND } from './lab.fixture.js';

const told = (lab: Lab, remaining: number | null, resetInUs: number) =>
  lab.settle(lab.granted(), { seen: [{ limit: 0, remaining, resetInUs }] });

describe('a reset with nothing left, later than the own window can last', () => {
  const limits: readonly (readonly [string, LimitOptions])[] = [
    ['a bucket', tokenBucket({ burst: 60, limit: 60, per: '1m' })],
    ['a sliding window', slidingWindow({ limit: 60, per: '1m' })],
    ['a window of unknown edges', fixedWindow({ limit: 60, per: '1m' })],
    ['a window of the clock', fixedWindow({ limit: 60, per: '1m', align: 'clock' })],
  ];

  it.each(limits)('holds all starts under %s until then, and says so', (_, limit) => {
    const lab = new Lab({ limits: [limit], guard: 0 });
    const reply = told(lab, 0, 10 * MINUTE);
    expect(reply.changes).toContainEqual({ type: 'quota-seen', limit: 0, remaining: 0, applied: true });
    lab.at += SECOND;
    const wait = lab.want().waits[0];
    expect(lab.until(wait?.certainUs ?? 0)).toBe(10 * MINUTE - SECOND);
    expect(wait?.limit).toBe(0);
    lab.at += 10 * MINUTE - SECOND - 1;
    expect(lab.want().grants).toHaveLength(0);
    lab.at += 1;
    expect(lab.want().grants).toHaveLength(1);
  });

  it('holds a partition that has been idle since', () => {
    const limits = [tokenBucket({ burst: 1, limit: 1, per: '1s', countedBy: ['user'] })];
    const lab = new Lab({ dimensions: ['user'], limits, guard: 0 });
    const want = { partition: { user: 'u' } };
    const grant = lab.granted(want);
    lab.at += 5 * SECOND;
    lab.step({});
    lab.granted({ ...want, key: 'another ticket' });
    lab.at += SECOND;
    lab.settle(grant, { seen: [{ limit: 0, remaining: 0, resetInUs: MINUTE }] }, want);
    expect(lab.until(lab.want(want).waits[0]?.certainUs ?? 0)).toBe(MINUTE);
  });

  it('holds a quota of a day beyond the day', () => {
    const lab = new Lab({ limits: [quota({ limit: 100, per: 'day', volatile: true })], guard: 0 });
    const twoDays = 48 * 60 * MINUTE;
    told(lab, 0, twoDays);
    expect(lab.until(lab.want().waits[0]?.certainUs ?? 0)).toBe(twoDays);
  });

  it('is believed up to pause.maxHint, and ended by the operator', () => {
    const limits = [slidingWindow({ limit: 9, per: '1s' })];
    const lab = new Lab({ limits, pause: { maxHint: '1h' }, guard: 0 });
    told(lab, 0, 600 * MINUTE);
    expect(lab.until(lab.want().waits[0]?.certainUs ?? 0)).toBe(60 * MINUTE);
    const reply = lab.step({ commands: [{ type: 'resume', partition: null }] });
    expect(reply.wake).toHaveLength(1);
    lab.at += SECOND;
    expect(lab.want().grants).toHaveLength(1);
  });

  it('holds one partition and nobody else, in line or not', () => {
    const limits = [slidingWindow({ limit: 9, per: '1s', countedBy: ['user'] })];
    const lab = new Lab({ limits, dimensions: ['user'], guard: 0 });
    const own = { partition: { user: 'u' } };
    const grant = lab.granted(own);
    lab.settle(grant, { seen: [{ limit: 0, remaining: 0, resetInUs: 10 * MINUTE }] }, own);
    expect(lab.want(own).grants).toHaveLength(0);
    expect(lab.want({ partition: { user: 'v' } }).grants).toHaveLength(1);
    lab.at += 5 * MINUTE;
    expect(lab.engine.inspect(lab.engine.state.now + 5 * MINUTE)).toMatchObject({ partitions: 1 });
    lab.at += 6 * MINUTE;
    expect(lab.engine.inspect(lab.engine.state.now + 22 * MINUTE)).toMatchObject({ partitions: 0 });
  });
});

describe('a window of the clock', () => {
  const limits = [fixedWindow({ limit: 60, per: '1m', align: 'clock' })];

  it('that the resets contradict is reported, once', () => {
    const lab = new Lab({ limits, guard: 0 });
    const changes = [1, 2].flatMap(() => told(lab, 50, 30 * SECOND).changes);
    expect(changes.filter(({ type }) => type === 'edges-contradicted')).toEqual([
      { type: 'edges-contradicted', limit: 0 },
    ]);
  });

  it('is not contradicted by resets at its edges, in whole seconds and read as late as the guard allows', () => {
    const lab = new Lab({ limits, guard: '100ms' });
    for (const reset of [MINUTE, MINUTE - SECOND, MINUTE + SECOND, MINUTE + SECOND + 100_000]) {
      expect(told(lab, 50, reset).changes.map(({ type }) => type)).toEqual(['quota-seen']);
    }
  });
});
