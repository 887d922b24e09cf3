import fc from 'fast-check';
import { GivenBack } from './given-back.js';

const notes = (max: number) =>
  fc.array(fc.record({ afterUs: fc.integer({ min: 0, max: 5 }), amount: fc.integer({ min: 1, max: 9 }) }), {
    maxLength: max,
  });

function both(list: readonly { afterUs: number; amount: number }[], moment: number): { told: number; exact: number } {
  const givenBack = new GivenBack();
  let now = 0;
  let exact = 0;
  for (const { afterUs, amount } of list) {
    now += afterUs;
    givenBack.note(now, amount, now - 5);
    if (now > moment) exact += amount;
  }
  return { told: givenBack.since(moment, Infinity), exact };
}

describe('what was given back since a moment', () => {
  it('is told exactly of few moments', () => {
    fc.assert(
      fc.property(notes(16), fc.nat({ max: 60 }), (list, moment) => {
        const { told, exact } = both(list, moment);
        expect(told).toBe(exact);
      }),
    );
  });

  it('leaves out calls that were granted later than the one that is answered', () => {
    const givenBack = new GivenBack();
    givenBack.note(10, 3, 1);
    givenBack.note(10, 5, 8);
    expect(givenBack.since(4, 8)).toBe(3);
  });

  it('is never told too low of many', () => {
    fc.assert(
      fc.property(notes(200), fc.nat({ max: 600 }), (list, moment) => {
        const { told, exact } = both(list, moment);
        expect(told).toBeGreaterThanOrEqual(exact);
      }),
    );
  });
});
