import fc from 'fast-check';
import { contracts } from './contracts.js';
import { budgetExcess } from './budget-judge.js';
import { History } from './history.js';
import { findExcess } from './provider-judge.js';

const RUNS = 20;
const STEPS = 250;

describe('over random contracts and histories of processes that share a gate, crashes and arrival jitter included', () => {
  it('law 2: what reaches the provider never exceeds a limit in any window of it', () => {
    fc.assert(
      fc.property(contracts, fc.integer(), (contract, seed) => {
        const history = new History(contract, seed, { steps: STEPS, updates: seed % 2 === 0 }).run();
        expect(history.faults).toEqual([]);
        expect(findExcess(contract, history.arrivals)).toBeNull();
      }),
      { numRuns: 4 * RUNS },
    );
  });

  it('laws 3 and 10: only waiting calls are granted, and a pause lets one probe at a time through', () => {
    fc.assert(
      fc.property(contracts, fc.integer(), (contract, seed) => {
        const history = new History(contract, seed, { steps: STEPS, observe: true }).run();
        expect(history.faults).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });

  it('law 9: retries after failures stay within the budget in each calendar minute and in the minute that ends at each', () => {
    fc.assert(
      fc.property(contracts, fc.integer(), (contract, seed) => {
        const history = new History(contract, seed, { steps: STEPS }).run();
        expect(budgetExcess(contract, history.grants)).toBeNull();
      }),
      { numRuns: RUNS },
    );
  });

  it('laws 1 and 6: when all is over nothing is held: no permit, no place in line, no partition', () => {
    fc.assert(
      fc.property(contracts, fc.integer(), (contract, seed) => {
        const history = new History(contract, seed, { steps: STEPS, observe: true, updates: seed % 2 === 0 }).run();
        expect(history.openPauses()).toEqual([]);
        expect(history.atRest()).toMatchObject({ leases: 0, tickets: 0, partitions: 0 });
        const held = history.atRest().limits.filter((limit) => limit.kind === 'concurrency' && (limit.used ?? 0) !== 0);
        expect(held).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });

  it('law 4: nobody who goes on asking starves, and what is free when all is silent goes to the first who asks', () => {
    const withoutQuota = contracts.filter((contract) => contract.limits.every((limit) => limit.kind !== 'quota'));
    fc.assert(
      fc.property(withoutQuota, fc.integer(), (contract, seed) => {
        const history = new History(contract, seed, { steps: 60, deaths: false }).run();
        expect(history.drain(3000)).toBe(0);
        expect(history.faults).toEqual([]);
        expect(findExcess(contract, history.arrivals)).toBeNull();
        expect(history.freshGrant()).toBe(true);
      }),
      { numRuns: RUNS },
    );
  });
});
