import fc from 'fast-check';
import { contracts } from './contracts.js';
import { RecordedHistory, RedisTwin } from './redis-twin.js';

const RUNS = 8;
const STEPS = 250;

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
  },
);
