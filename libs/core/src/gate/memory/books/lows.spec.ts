import fc from 'fast-check';
import { Lows } from './lows.js';

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
  const lows = new Lows();
  const charges: { at: number; cost: number }[] = [];
  let now = 0;
  let level = 0;
  return list.map(({ afterUs, cost, takes }) => {
    now += afterUs;
    level = Math.max(0, level - afterUs * RATE);
    const taken = takes === null ? undefined : charges[charges.length - 1 - takes];
    if (taken === undefined) {
      lows.note(now, level);
      charges.push({ at: now, cost });
      level += cost;
    } else {
      const amount = Math.min(taken.cost, lows.since(taken.at, level));
      level -= amount;
      lows.takeOut(taken.at, amount, level);
      taken.cost = 0;
    }
    return { level, exact: replayed(charges, now) };
  });
}

describe('what a bucket gives back of a charge', () => {
  it('leaves it as if the charge had never been made', () => {
    fc.assert(
      fc.property(events(16), (list) => {
        for (const { level, exact } of run(list)) expect(level).toBe(exact);
      }),
    );
  });

  it('is never more, however many charges there were', () => {
    fc.assert(
      fc.property(events(150), (list) => {
        for (const { level, exact } of run(list)) expect(level).toBeGreaterThanOrEqual(exact);
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
