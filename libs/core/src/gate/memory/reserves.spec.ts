import { concurrency, quota, tokenBucket } from '../../contract/builders.js';
import { Lab, SECOND } from './lab.fixture.js';

/** Grants of a lane until it has to wait. */
function fill(lab: Lab, lane: number, charges?: readonly number[]): number {
  let granted = 0;
  while (lab.want(charges === undefined ? { lane } : { lane, charges }).grants.length > 0) granted += 1;
  return granted;
}

/** Which lane comes first makes no difference to what the others find. */
const orders = [
  [0, 1],
  [1, 0],
] as const;

describe.each(orders)(
  'where two lanes have reserves and lane %i comes before lane %i, each finds its own',
  (one, two) => {
    it('of a quota', () => {
      const reserve = { a: 0.1, b: 0.2 };
      const limits = [quota({ limit: 100, per: 'day', reserve, volatile: true })];
      const lab = new Lab({ limits, lanes: { a: {}, b: {}, c: {} }, guard: 0 });
      expect(fill(lab, 2)).toBe(70);
      const own = [10, 20];
      expect(fill(lab, one)).toBe(own[one]);
      expect(fill(lab, two)).toBe(own[two]);
      expect(fill(lab, 2)).toBe(0);
    });

    it('of permits, and gives it back', () => {
      const lanes = { a: { reserve: { k: 2 } }, b: { reserve: { k: 3 } }, c: {} };
      const lab = new Lab({ limits: [concurrency({ name: 'k', limit: 10, countedBy: [] })], lanes, guard: 0 });
      expect(fill(lab, 2)).toBe(5);
      const own = [2, 3];
      for (let round = 0; round < 2; round += 1) {
        const grant = lab.granted({ lane: one });
        expect(fill(lab, one)).toBe((own[one] as number) - 1);
        expect(fill(lab, two)).toBe(own[two]);
        expect(fill(lab, 2)).toBe(0);
        lab.settle(grant, {}, { lane: one });
        expect(fill(lab, two)).toBe(0);
        expect(fill(lab, one)).toBe(1);
        lab.at += 15 * SECOND;
        expect(fill(lab, 2)).toBe(5);
      }
    });

    it('of tokens', () => {
      const lanes = { a: { reserve: { t: 2 } }, b: { reserve: { t: 3 } }, c: {} };
      const limits = [tokenBucket({ name: 't', burst: 10, limit: 1, per: '1s', countedBy: [] })];
      const lab = new Lab({ limits, lanes, guard: 0 });
      expect(fill(lab, 2)).toBe(5);
      const own = [2, 3];
      expect(fill(lab, one)).toBe(own[one]);
      expect(fill(lab, two)).toBe(own[two]);
      // All waited for: the moments hold, and what the reserves refill is not lent to others.
      lab.at += 5 * SECOND;
      expect(fill(lab, 2)).toBe(0);
      lab.at += SECOND;
      expect(fill(lab, 2)).toBe(1);
    });
  },
);

it('what a reserve holds of a new day is there again for its lane only', () => {
  const limits = [quota({ limit: 100, per: 'day', reserve: { a: 0.1, b: 0.2 }, volatile: true })];
  const lab = new Lab({ limits, lanes: { a: {}, b: {}, c: {} }, guard: 0 });
  for (const lane of [2, 0, 1]) fill(lab, lane);
  lab.at += 12 * 3600 * SECOND;
  expect([fill(lab, 2), fill(lab, 1), fill(lab, 0)]).toEqual([70, 20, 10]);
});

it('a refused grant gives back what it took of a reserve', () => {
  const limits = [quota({ limit: 100, per: 'day', reserve: { a: 0.1, b: 0.2 }, volatile: true })];
  const lab = new Lab({ limits, lanes: { a: {}, b: {}, c: {} }, guard: 0 });
  fill(lab, 2);
  const grant = lab.granted({ lane: 0 });
  fill(lab, 1);
  lab.settle(grant, { end: 'not-sent', health: 'none' }, { lane: 0 });
  expect([fill(lab, 1), fill(lab, 2), fill(lab, 0)]).toEqual([0, 0, 10]);
});

it('a permit that comes back to a reserve is hinted to its own lane, though a better lane waits', () => {
  const lanes = { a: {}, b: { reserve: { k: 1 } } };
  const lab = new Lab({ limits: [concurrency({ name: 'k', limit: 2, countedBy: [] })], lanes, guard: 0 });
  lab.granted({ lane: 0 });
  const grant = lab.granted({ lane: 1 });
  lab.want({ lane: 0 }, 'other');
  lab.want({ lane: 1, key: 'own' }, 'third');
  lab.engine.state.hints.length = 0;
  lab.settle(grant, {}, { lane: 1 });
  expect(lab.engine.state.hints).toEqual([{ processId: 'third', ticketKey: 'own' }]);
});
