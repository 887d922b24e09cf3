import { guardBucket, guardDebt } from './guard.js';

const J = 100_000;
const perSecond = (n: number): number => n / 1_000_000;

describe('the guard', () => {
  it('takes r J off the burst where that still holds the dearest call', () => {
    expect(guardBucket(30, perSecond(50), J, 1, true)).toEqual({ capacity: 25, rate: perSecond(50), serial: false });
  });

  it('gives equal calls one at a time, and slower, where the burst is too small', () => {
    const { capacity, rate } = guardBucket(1, perSecond(5), 20_000, 1, true);
    expect(capacity).toBe(1);
    expect(1 / rate).toBeCloseTo(1 / perSecond(5) + 20_000);
  });

  it('slows mixed calls so that a dear one still fits', () => {
    expect(guardBucket(12, perSecond(50), J, 10, false)).toEqual({ capacity: 10, rate: 2 / J, serial: false });
  });

  it('lets one mixed call at a time start where the dearest is the whole burst', () => {
    expect(guardBucket(10, perSecond(50), J, 10, false)).toMatchObject({ serial: true });
  });

  it('holds back what an interval across a change of numbers could let through too much', () => {
    expect(guardDebt(12, perSecond(50), J, 10)).toBe(3);
    expect(guardDebt(30, perSecond(50), J, 25)).toBe(0);
  });
});
