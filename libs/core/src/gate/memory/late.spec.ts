import { concurrency, tokenBucket } from '../../contract/builders.js';
import { Lab, MINUTE, SECOND } from './lab.fixture.js';

const limits = [tokenBucket({ burst: 100, limit: 100, per: '1s' })];
const breaker = { consecutiveFailures: 2, probeEvery: '1m', whileOpen: 'wait' } as const;
const ATTEMPT = 10 * SECOND;

describe('an attempt that ends in the very moment in which its lease does', () => {
  it('is a failure for the breaker all the same', () => {
    const lab = new Lab({ limits, breaker, guard: 0 });
    const grants = [lab.granted(), lab.granted()];
    lab.at += ATTEMPT;
    const replies = grants.map((grant) => lab.settle(grant, { end: 'no-answer', health: 'failure' }));
    expect(replies.map(({ settles }) => settles[0]?.stale)).toEqual([true, true]);
    expect(lab.engine.inspect(0).breaker).toBe('open');
  });

  it('keeps the breaker open where it was the probe: the next one comes an interval later', () => {
    const lab = new Lab({ limits, breaker, guard: 0 });
    for (const grant of [lab.granted(), lab.granted()]) lab.settle(grant, { health: 'failure' });
    lab.at += MINUTE;
    const probe = lab.granted();
    expect(probe.probesBreaker).toBe(true);
    lab.at += ATTEMPT;
    lab.settle(probe, { end: 'no-answer', health: 'failure' });
    expect(lab.want().grants).toHaveLength(0);
    lab.at += MINUTE;
    expect(lab.granted().probesBreaker).toBe(true);
  });

  it('closes the breaker where it was the probe and was answered, unless another has taken its part', () => {
    const closes = (another: boolean): string => {
      const lab = new Lab({ limits, breaker, guard: 0 });
      for (const grant of [lab.granted(), lab.granted()]) lab.settle(grant, { health: 'failure' });
      lab.at += MINUTE;
      const probe = lab.granted();
      lab.at += ATTEMPT;
      if (another) lab.granted();
      lab.settle(probe);
      return lab.engine.inspect(0).breaker;
    };
    expect(closes(false)).toBe('closed');
    expect(closes(true)).toBe('half-open');
  });

  it('still pauses what refused it, and as a probe takes the pause one step on', () => {
    const lab = new Lab({ limits, guard: 0, pause: { initial: '1m', factor: 2 } });
    const refusal = { limit: 0, waitUs: null };
    const first = lab.granted();
    lab.at += ATTEMPT;
    expect(lab.settle(first, { refusal }).changes[0]).toMatchObject({ type: 'pause-started', step: 1 });
    lab.at += MINUTE;
    const probe = lab.granted();
    lab.at += ATTEMPT;
    expect(lab.settle(probe, { refusal }).changes[0]).toMatchObject({ type: 'pause-started', step: 2 });
  });

  it('ends the pause where it was the probe and was let in', () => {
    const lab = new Lab({ limits, guard: 0, pause: { initial: '1m' } });
    lab.settle(lab.granted(), { refusal: { limit: 0, waitUs: null } });
    lab.at += MINUTE;
    const probe = lab.granted();
    lab.at += ATTEMPT;
    expect(lab.settle(probe).changes[0]).toMatchObject({ type: 'pause-ended' });
  });

  it('gives back neither permit nor charges a second time', () => {
    const lab = new Lab({
      limits: [concurrency({ limit: 2 }), tokenBucket({ burst: 10, limit: 1, per: '1h' })],
      guard: 0,
    });
    const grant = lab.granted();
    lab.at += ATTEMPT;
    lab.granted();
    lab.settle(grant, { end: 'not-sent', health: 'none' });
    const [permits, tokens] = lab.engine.inspect(0).limits;
    expect(permits?.used).toBe(1);
    expect(tokens?.used).toBeCloseTo(2, 1);
  });
});
