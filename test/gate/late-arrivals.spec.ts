import fc from 'fast-check';
import { fixedWindow, slidingWindow, tokenBucket } from '../../libs/core/src/contract/builders.js';
import { defineProvider } from '../../libs/core/src/contract/define-provider.js';
import type { ResolvedContract } from '../../libs/core/src/contract/resolved.js';
import { Engine } from '../../libs/core/src/gate/memory/engine.js';
import type { Settle } from '../../libs/core/src/gate/port.js';
import { type Arrival, findExcess } from './provider-judge.js';

const START_US = Date.UTC(2026, 2, 7, 23, 50) * 1000;

/** Small and quick: within the guard a bucket refills by a call or more. */
const limit = fc.oneof(
  fc
    .record({ burst: fc.integer({ min: 1, max: 6 }), limit: fc.integer({ min: 20, max: 60 }) })
    .map((o) => tokenBucket({ ...o, per: '1s' })),
  fc.integer({ min: 1, max: 6 }).map((n) => slidingWindow({ limit: n, per: '500ms' })),
  fc
    .record({ limit: fc.integer({ min: 1, max: 6 }), align: fc.constantFrom('clock' as const, 'unknown' as const) })
    .map((o) => fixedWindow({ ...o, per: '1s' })),
);

const contracts = fc
  .record({ limit, guard: fc.constantFrom('50ms' as const, '100ms' as const) })
  .map(({ limit: one, guard }) => defineProvider({ name: 'late', limits: [one], guard, breaker: false }).resolved);

/** When a gate grants calls that never cease to wait, but for a silence now and then. */
function grantsOf(contract: ResolvedContract, silences: readonly number[]): number[] {
  const engine = new Engine(contract);
  const ticket = { key: 'all', lane: 0, tenant: '', partition: {}, limits: [0] };
  const granted: number[] = [];
  let now = START_US;
  let settles: Settle[] = [];
  for (let stepNo = 1; stepNo <= 120; stepNo += 1) {
    const heads = Array.from({ length: 4 }, (_, i) => ({
      id: stepNo * 10 + i,
      waitedUs: 0,
      charges: [1],
      kind: 'first' as const,
      safety: 'safe' as const,
      attemptUs: 1_000_000,
      place: null,
      observe: false,
    }));
    const ask = { ticket, waiting: heads.length, heads, newestWaitedUs: 0 };
    const reply = engine.step(now, { processId: 'one', stepNo, seenSeq: 0, settles, asks: [ask], commands: [] });
    settles = reply.grants.map(({ leaseId }) => ({
      leaseId,
      ticket,
      end: 'answered',
      health: 'alive',
      refusal: null,
      trueCharges: null,
      seen: [],
      retry: null,
    }));
    for (const _ of reply.grants) granted.push(now);
    const [wait] = reply.waits;
    if (wait !== undefined) now = Math.max(now + 1, wait.pollAtUs);
    if (stepNo % 15 === 0) now += silences[stepNo / 15 - 1] ?? 0;
  }
  return granted;
}

/** All that may still be on its way at that moment arrives at it; what left earlier was as late as may be. */
function gathered(granted: readonly number[], atUs: number, guardUs: number): Arrival[] {
  return granted.map((left) => {
    const at = left > atUs ? left : Math.min(left + guardUs, atUs);
    return { at, until: at, partition: {}, limits: [0], costs: [1] };
  });
}

describe('where every call arrives as it suits the limit least', () => {
  it('law 2: calls that gather at any one moment, each no later than the guard, never exceed a limit', () => {
    fc.assert(
      fc.property(
        contracts,
        fc.array(fc.integer({ min: 0, max: 1_500_000 }), { maxLength: 8 }),
        (contract, silences) => {
          const granted = grantsOf(contract, silences);
          const guardUs = contract.guardMs * 1000;
          expect(granted.length).toBeGreaterThan(20);
          for (const left of granted) {
            for (const at of [left, left + guardUs]) {
              expect(findExcess(contract, gathered(granted, at, guardUs))).toBeNull();
            }
          }
        },
      ),
      { numRuns: 40 },
    );
  });
});
