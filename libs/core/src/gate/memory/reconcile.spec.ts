import { fixedWindow, quota, slidingWindow, tokenBucket } from '../../contract/builders.js';
import { Lab, MINUTE, SECOND } from './lab.fixture.js';

const seen = (remaining: number, resetInUs: number | null = null) => ({ seen: [{ limit: 0, remaining, resetInUs }] });

describe('what a provider says is left, of a window', () => {
  const lab = (): Lab => new Lab({ limits: [slidingWindow({ limit: 4, per: '1m' })], guard: 0 });

  it('is no news where it is ours: what has left the window since the call was granted was counted then', () => {
    const of = lab();
    const first = [of.granted(), of.granted()];
    of.at = 10 * SECOND;
    const grant = of.granted();
    const last = of.granted();
    for (const one of first) of.settle(one);
    // Asked at 10 s it had nothing left; the answer comes when the first two have left the window.
    of.at = MINUTE + SECOND;
    of.settle(grant, seen(0));
    of.settle(last, seen(0));
    expect(of.step({ asks: [of.ask({ calls: 3 })] }).grants).toHaveLength(2);
  });

  it('is news where others use it: so much is taken off, until it has left the window', () => {
    const of = lab();
    const grant = of.granted();
    of.at = SECOND;
    of.settle(grant, seen(1));
    expect(of.step({ asks: [of.ask({ calls: 4 })] }).grants).toHaveLength(1);
    of.at += MINUTE;
    expect(of.step({ asks: [of.ask({ calls: 4 })] }).grants.length).toBeGreaterThan(1);
  });

  it('does not count what others used again when that has left the window while the call was under way', () => {
    const of = lab();
    of.settle(of.granted(), seen(1));
    of.at = 50 * SECOND;
    const grant = of.granted();
    // Its four were two of others, and two of ours.
    of.at = MINUTE + SECOND;
    of.settle(grant, seen(0));
    expect(of.step({ asks: [of.ask({ calls: 4 })] }).grants).toHaveLength(3);
  });
});

describe('what a provider says is left, of a day', () => {
  it('says nothing of the next day when the answer comes after midnight', () => {
    const of = new Lab({ limits: [quota({ limit: 100, per: 'day', volatile: true })], guard: 0 });
    of.at = 12 * 60 * MINUTE - SECOND;
    const grant = of.granted();
    of.at += 2 * SECOND;
    of.settle(grant, seen(1));
    expect(of.step({ asks: [of.ask({ calls: 5 })] }).grants).toHaveLength(5);
  });

  it('counts of the day in which the call was granted', () => {
    const of = new Lab({ limits: [quota({ limit: 100, per: 'day', volatile: true })], guard: 0 });
    of.at = SECOND;
    of.settle(of.granted(), seen(1));
    expect(of.step({ asks: [of.ask({ calls: 5 })] }).grants).toHaveLength(1);
  });
});

describe('what a provider says is left, while calls are under way', () => {
  const told = (remaining: number, trueCharges: readonly number[]) => ({ ...seen(remaining), trueCharges });
  const limits = {
    'a bucket': tokenBucket({ burst: 100, limit: 1, per: '1h' }),
    'a sliding window': slidingWindow({ limit: 100, per: '1h' }),
    'a window of the clock': fixedWindow({ limit: 100, per: '1h', align: 'clock' }),
    'a quota': quota({ limit: 100, per: 'day', volatile: true }),
  };

  it.each(Object.entries(limits))(
    'of %s, may count what those have announced and were found not to have cost',
    (_, one) => {
      const of = new Lab({ limits: [one], guard: 0 });
      const other = of.granted({ charges: [40] });
      of.at = SECOND / 2;
      const first = of.granted({ charges: [40] });
      of.at = SECOND;
      of.settle(other, { trueCharges: [10] });
      of.at += SECOND;
      // As its answer began, 80 were announced.
      of.settle(first, told(20, [40]));
      expect(of.engine.inspect(of.at).limits[0]?.used).toBeCloseTo(50, 1);
    },
  );

  it('of a bucket, never makes more of it used than its burst', () => {
    const of = new Lab({ limits: [tokenBucket({ burst: 100, limit: 1, per: '1s' })], guard: 0 });
    const first = of.granted({ charges: [50] });
    of.granted({ charges: [50] });
    // Told as the answer leaves, it holds the second, too.
    of.settle(first, seen(0));
    expect(of.engine.inspect(of.at).limits[0]?.used).toBe(100);
  });

  it('may hold those that were granted within the guard: nobody knows which came first', () => {
    const of = new Lab({ limits: [slidingWindow({ limit: 10, per: '1m' })], guard: '100ms' });
    const first = of.granted();
    of.at = 99_000;
    of.granted();
    // The second was the quicker, and is counted.
    of.settle(first, seen(8));
    expect(of.engine.inspect(of.at).limits[0]?.used).toBe(2);
  });

  it('does not hold those that were granted later, and are not answered', () => {
    const of = new Lab({ limits: [slidingWindow({ limit: 10, per: '1m' })], guard: '100ms' });
    const first = of.granted();
    of.at = 100_000;
    of.granted();
    of.settle(first, seen(8));
    expect(of.engine.inspect(of.at).limits[0]?.used).toBe(3);
  });
});
