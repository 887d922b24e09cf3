import fc from 'fast-check';
import { budgetExcess } from '../gate/budget-judge.js';
import { contracts } from '../gate/contracts.js';
import { History } from '../gate/history.js';
import { findExcess } from '../gate/provider-judge.js';

const RUNS = 200;
const STEPS = 500;

describe('100,000 random steps of processes that share a gate', () => {
  it('laws 1, 2, 3, 6, 9 and 10 hold', () => {
    fc.assert(
      fc.property(contracts, fc.integer(), (contract, seed) => {
        const history = new History(contract, seed, { steps: STEPS, updates: seed % 2 === 0 }).run();
        expect(history.faults).toEqual([]);
        expect(findExcess(contract, history.arrivals)).toBeNull();
        expect(budgetExcess(contract, history.grants)).toBeNull();
        expect(history.openPauses()).toEqual([]);
        expect(history.atRest()).toMatchObject({ leases: 0, tickets: 0, partitions: 0 });
      }),
      { numRuns: RUNS },
    );
  }, 600_000);
});
