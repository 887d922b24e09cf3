import fc from 'fast-check';
import { histories, levelsOf } from './charged.fixture.js';
import { Lows } from './lows.js';

function memory(): Parameters<typeof levelsOf>[1] {
  const lows = new Lows();
  return {
    add: (now, level) => lows.note(now, level),
    takeOut: (_now, { at, cost }, level) => {
      const amount = Math.min(cost, lows.since(at, level));
      lows.takeOut(at, amount, level - amount);
      return amount;
    },
  };
}

describe('what a bucket gives back of a charge', () => {
  it('leaves it as if the charge had never been made', () => {
    fc.assert(
      fc.property(histories(16, 6), (list) => {
        for (const { level, exact } of levelsOf(list, memory())) expect(level).toBe(exact);
      }),
    );
  });

  it('is never more, however many charges there were', () => {
    fc.assert(
      fc.property(histories(150, 6), (list) => {
        for (const { level, exact } of levelsOf(list, memory())) expect(level).toBeGreaterThanOrEqual(exact);
      }),
    );
  });

  it('is all of it where the bucket was never empty since, however many charges came after, and whatever of them was given back', () => {
    const lows = new Lows();
    const underWay: number[] = [];
    let level = 100;
    for (let now = 0; now < 20_000; now += 1) {
      level -= 1;
      lows.note(now, level);
      level += 2;
      underWay.push(now);
      if (underWay.length <= 30) continue;
      const at = underWay.splice((now * 7) % 30, 1)[0] as number;
      const given = Math.min(1, lows.since(at, level));
      expect(given).toBe(1);
      level -= given;
      lows.takeOut(at, given, level);
    }
  });
});
