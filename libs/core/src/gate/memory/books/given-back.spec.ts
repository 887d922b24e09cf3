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
    givenBack.note(now, amount);
    if (now > moment) exact += amount;
  }
  return { told: givenBack.since(moment), exact };
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

  it('is never told too low of many', () => {
    fc.assert(
      fc.property(notes(200), fc.nat({ max: 600 }), (list, moment) => {
        const { told, exact } = both(list, moment);
        expect(told).toBeGreaterThanOrEqual(exact);
      }),
    );
  });
});
