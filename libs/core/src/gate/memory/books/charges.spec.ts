import fc from 'fast-check';
import { Charges } from './charges.js';

const RATE = 1;

interface Event {
  readonly afterUs: number;
  readonly cost: number;
  /** Which of the charges so far is taken out, if any, counted from the last. */
  readonly takes: number | null;
}

const events = (max: number): fc.Arbitrary<readonly Event[]> =>
  fc.array(
    fc.record({
      afterUs: fc.integer({ min: 0, max: 8 }),
      cost: fc.integer({ min: 1, max: 10 }),
      takes: fc.option(fc.nat({ max: 6 }), { freq: 2 }),
    }),
    { maxLength: max },
  );

/** The level at `now` after these charges alone. */
function replayed(charges: readonly { readonly at: number; readonly cost: number }[], now: number): number {
  let level = 0;
  let last = 0;
  for (const { at, cost } of charges) {
    level = Math.max(0, level - (at - last) * RATE) + cost;
    last = at;
  }
  return Math.max(0, level - (now - last) * RATE);
}

/** What the bucket holds and what it would hold had the charges that were taken out never been made, after each event. */
function run(list: readonly Event[]): { readonly level: number; readonly exact: number }[] {
  const book = new Charges();
  const charges: { at: number; cost: number }[] = [];
  let now = 0;
  let level = 0;
  return list.map(({ afterUs, cost, takes }) => {
    now += afterUs;
    level = Math.max(0, level - afterUs * RATE);
    const taken = takes === null ? undefined : charges[charges.length - 1 - takes];
    if (taken === undefined) {
      book.add(now, level, cost);
      charges.push({ at: now, cost });
      level += cost;
    } else {
      level -= book.takeOut(now, taken.at, taken.cost, level, RATE);
      taken.cost = 0;
    }
    return { level, exact: replayed(charges, now) };
  });
}

describe('what a bucket gives back of a charge', () => {
  it('leaves it as if the charge had never been made', () => {
    fc.assert(
      fc.property(events(24), (list) => {
        for (const { level, exact } of run(list)) expect(level).toBe(exact);
      }),
    );
  });

  it('is never more, however many charges there were', () => {
    fc.assert(
      fc.property(events(200), (list) => {
        for (const { level, exact } of run(list)) expect(level).toBeGreaterThanOrEqual(exact);
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
