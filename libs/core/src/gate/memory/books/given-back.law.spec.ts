import fc from 'fast-check';
import { Bucket } from './bucket.js';

const RATE = 1;
const BURST = 60;

const events = fc.array(
  fc.record({
    afterUs: fc.integer({ min: 0, max: 8 }),
    cost: fc.integer({ min: 1, max: 10 }),
    /** Which of the charges so far is taken back, if any, counted from the last. */
    takes: fc.option(fc.nat({ max: 20 }), { freq: 2 }),
  }),
  { maxLength: 200 },
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

it('law 2: a bucket never holds less than what was sent, whatever is given back of it', () => {
  fc.assert(
    fc.property(events, (list) => {
      const bucket = new Bucket('rate');
      bucket.configure(0, BURST, RATE, 0, []);
      const charges: { at: number; cost: number }[] = [];
      let now = 1;
      for (const { afterUs, cost, takes } of list) {
        now += afterUs;
        const taken = takes === null ? undefined : charges[charges.length - 1 - takes];
        if (taken === undefined) {
          if (bucket.moment(now, now, 0, 0, cost) > now) continue;
          bucket.charge(now, 0, cost);
          charges.push({ at: now, cost });
        } else {
          bucket.refund(now, 0, taken.cost, taken.at);
          taken.cost = 0;
        }
        expect(bucket.used(now)).toBeGreaterThanOrEqual(replayed(charges, now) - 1e-6);
      }
    }),
  );
});
