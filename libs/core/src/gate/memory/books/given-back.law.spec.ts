import fc from 'fast-check';
import { Bucket } from './bucket.js';
import { type Charge, histories, RATE, replayed } from './charged.fixture.js';

const BURST = 60;

it('law 2: a bucket never holds less than what was sent, whatever is given back of it', () => {
  fc.assert(
    fc.property(histories(200, 20), (list) => {
      const bucket = new Bucket('rate');
      bucket.configure(0, BURST, RATE, 0, []);
      const charges: Charge[] = [];
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
