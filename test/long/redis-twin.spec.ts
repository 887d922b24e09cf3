import fc from 'fast-check';
import { contracts } from '../gate/contracts.js';
import { RecordedHistory, RedisTwin } from '../gate/redis-twin.js';

const RUNS = 250;
const STEPS = 250;

describe('50,000 random steps in memory and in Redis', () => {
  const twin = new RedisTwin('function');
  beforeAll(() => twin.open());
  afterAll(() => twin.close());

  it('law 14: decide the same', async () => {
    await fc.assert(
      fc.asyncProperty(contracts, fc.integer(), async (contract, seed) => {
        const options = { steps: STEPS, observe: seed % 3 === 0, updates: seed % 2 === 0 };
        const history = new RecordedHistory(contract, seed, options).run();
        expect(await twin.compare(history.recorded)).toBeNull();
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
    expect(twin.steps).toBeGreaterThan(50_000);
  }, 1_800_000);
});
