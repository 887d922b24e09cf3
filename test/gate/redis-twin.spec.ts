import fc from 'fast-check';
import { concurrency, tokenBucket } from '../../libs/core/src/contract/builders.js';
import { defineProvider } from '../../libs/core/src/contract/define-provider.js';
import { contracts } from './contracts.js';
import { RecordedHistory, RedisTwin } from './redis-twin.js';

const RUNS = 8;
const STEPS = 250;

/** Of little: a lane is guaranteed half of what the other has reserved of. */
const guaranteed = defineProvider({
  name: 'random',
  dimensions: ['user'],
  routes: { search: 'GET /search', list: 'GET /list' },
  limits: [
    tokenBucket({ name: 'rate', burst: 4, limit: 8, per: '1s', countedBy: [] }),
    concurrency({ name: 'permits', limit: 3, countedBy: [] }),
  ],
  lanes: { a: { reserve: { rate: 1, permits: 1 } }, b: { guarantee: 0.5 } },
  guard: 0,
  breaker: false,
}).resolved;

describe.each(['script', 'function'] as const)(
  'law 14: the gate in Redis decides as the one in memory, as a %s',
  (as) => {
    const twin = new RedisTwin(as);
    beforeAll(() => twin.open());
    afterAll(() => twin.close());

    it('for any contract and history: grants, waits, denials, settles, events and hints', async () => {
      await fc.assert(
        fc.asyncProperty(contracts, fc.integer(), async (contract, seed) => {
          const options = { steps: STEPS, observe: seed % 3 === 0, updates: seed % 2 === 0 };
          const history = new RecordedHistory(contract, seed, options).run();
          expect(history.faults).toEqual([]);
          expect(await twin.compare(history.recorded)).toBeNull();
        }),
        { numRuns: RUNS, endOnFailure: true },
      );
    });

    it('for any history where one lane is guaranteed what another has reserved', async () => {
      await fc.assert(
        fc.asyncProperty(fc.integer(), async (seed) => {
          const options = { steps: STEPS, observe: false, updates: false };
          const history = new RecordedHistory(guaranteed, seed, options).run();
          expect(history.faults).toEqual([]);
          expect(await twin.compare(history.recorded)).toBeNull();
        }),
        { numRuns: RUNS, endOnFailure: true },
      );
    });
  },
);
