import fc from 'fast-check';
import { tokenBucket } from '../../contract/builders.js';
import type { Grant, SettleEnd } from '../port.js';
import { Lab, MINUTE } from './lab.fixture.js';

/** What happens next: somebody asks, or one of those under way ends. */
const event = fc.oneof(
  { weight: 3, arbitrary: fc.constant('ask' as const) },
  {
    weight: 2,
    arbitrary: fc.record({
      which: fc.nat(),
      end: fc.constantFrom<SettleEnd>('answered', 'answered', 'answered', 'no-answer', 'not-sent'),
    }),
  },
);

/** How many may be under way once so many round trips were answered: 1, 2, 4 ... and each of these has to be answered as often. */
function widthAfter(answered: number): number {
  let width = 1;
  for (let left = answered; left >= width; width *= 2) left -= width;
  return width;
}

test('after an open breaker closes, as many calls are under way as round trips were answered allow, 1, 2, 4 ..., and no fewer', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 300 }), (events) => {
      const lab = new Lab({
        limits: [tokenBucket({ burst: 100_000, limit: 100_000, per: '1s' })],
        breaker: { consecutiveFailures: 1, whileOpen: 'wait' },
      });
      const old = lab.granted();
      lab.settle(lab.granted(), { health: 'failure' });
      lab.at += MINUTE;
      lab.settle(lab.granted());
      let answered = 0;
      const underWay: Grant[] = [];
      for (const next of events) {
        if (next === 'ask') {
          const { grants } = lab.want();
          expect(grants).toHaveLength(underWay.length < widthAfter(answered) ? 1 : 0);
          underWay.push(...grants);
        } else if (underWay.length > 0) {
          const [grant] = underWay.splice(next.which % underWay.length, 1);
          lab.settle(grant!, { end: next.end, health: next.end === 'answered' ? 'alive' : 'none' });
          if (next.end === 'answered') answered += 1;
        }
      }
      // One from before it closed is no round trip of this time.
      lab.settle(old);
      expect(lab.want().grants).toHaveLength(underWay.length < widthAfter(answered) ? 1 : 0);
    }),
    { numRuns: 100 },
  );
});
