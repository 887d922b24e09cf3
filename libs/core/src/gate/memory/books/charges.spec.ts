import fc from 'fast-check';
import { histories, levelsOf, RATE } from './charged.fixture.js';
import { Charges } from './charges.js';

function memory(): Parameters<typeof levelsOf>[1] {
  const book = new Charges();
  return {
    add: (now, level, cost) => book.add(now, level, cost),
    takeOut: (now, { at, cost }, level) => book.takeOut(now, at, cost, level, RATE),
  };
}

describe('what a bucket gives back of a charge', () => {
  it('leaves it as if the charge had never been made', () => {
    fc.assert(
      fc.property(histories(24, 6), (list) => {
        for (const { level, exact } of levelsOf(list, memory())) expect(level).toBe(exact);
      }),
    );
  });

  it('is never more, however many charges there were', () => {
    fc.assert(
      fc.property(histories(200, 6), (list) => {
        for (const { level, exact } of levelsOf(list, memory())) expect(level).toBeGreaterThanOrEqual(exact);
      }),
    );
  });

  it('is but for what drained meanwhile all of a burst that came call by call', () => {
    const book = new Charges();
    const rate = 1e-3;
    let level = 0;
    for (let now = 0; now < 500; now += 1) {
      book.add(now, level, 1);
      level += 1 - rate;
    }
    for (let at = 0; at < 400; at += 1) level -= book.takeOut(500, at, 1, level, rate);
    expect(level).toBeLessThan(101);
  });
});
