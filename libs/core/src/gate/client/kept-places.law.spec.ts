import fc from 'fast-check';
import { SeededRandom, VirtualClock } from '../../../../testing/src/index.js';
import { tokenBucket } from '../../contract/builders.js';
import type { AttemptKind } from '../../model/outcome.js';
import { sleep } from '../../time/timers.js';
import type { Permit } from '../admission.js';
import { memoryGate } from '../memory/memory-gate.js';
import { createAdmission } from './create-admission.js';
import { contractOf, delayed, recorder, request, settlement } from './gates.fixture.js';

/** How a call goes again: after a failure, with a place in the retry budget or without; after a refusal; or with a grant that came too late for it. */
const again = fc.record({
  how: fc.constantFrom('placed', 'bare', 'repeat', 'stale'),
  afterMs: fc.nat({ max: 400 }),
} as const);

const call = fc.record({
  afterMs: fc.nat({ max: 150 }),
  lane: fc.nat({ max: 1 }),
  who: fc.nat({ max: 2 }),
  runMs: fc.nat({ max: 50 }),
  again: fc.array(again, { maxLength: 3 }),
} as const);

interface Wait {
  readonly cameMono: number;
  readonly again: boolean;
  readonly line: string;
  readonly from: number;
  until: number;
}

describe.each([
  ['at once', 0],
  ['after 4 ms', 4],
])('law 4: over a gate that answers %s', (_title, roundTripMs) => {
  it.each([
    ['in order of arrival', ['']],
    ['in the fair order', ['a', 'b', 'c']],
  ])(
    'whoever goes again, for whatever reason, is not overtaken by a later call of its lane and tenant: %s',
    async (_, tenants) => {
      await fc.assert(
        fc.asyncProperty(fc.array(call, { minLength: 2, maxLength: 25 }), async (calls) => {
          const clock = new VirtualClock();
          const inner = memoryGate();
          const admission = createAdmission({
            contract: contractOf({
              guard: 0,
              lanes: { high: {}, low: {} },
              limits: [tokenBucket({ burst: 1, limit: 10, per: '1s' })],
              retry: { budget: { floor: 1_000 } },
            }),
            gate: roundTripMs === 0 ? inner : delayed(inner, clock, () => roundTripMs),
            clock,
            random: new SeededRandom(3),
            events: recorder(),
            processId: 'p1',
          });
          const waits: Wait[] = [];
          const one = async (index: number): Promise<void> => {
            const { lane, who, runMs, again: steps } = calls[index]!;
            const tenant = tenants[who % tenants.length]!;
            const cameMono = clock.monoMs();
            let kind: AttemptKind = 'first';
            let place: string | null = null;
            for (let i = 0; i <= steps.length; i += 1) {
              const wait = { cameMono, again: i > 0, line: `${lane}|${tenant}`, from: clock.monoMs(), until: Infinity };
              waits.push(wait);
              const came = i === 0 ? {} : { arrivedMono: cameMono };
              const ask = { lane, tenant, kind, place, ...came, maxWaitMs: 600_000 };
              const permit: Permit = await admission.admit(request(ask));
              wait.until = clock.monoMs();
              const next = steps[i];
              if (next?.how === 'stale') {
                permit.settle(settlement({ end: 'not-sent', health: 'none' }));
                continue;
              }
              await sleep(clock, runMs);
              place = null;
              if (next?.how === 'placed') {
                place = await permit.settleForRetry(settlement({ health: 'failure' }), next.afterMs, 600_000);
              } else permit.settle(settlement());
              if (next === undefined) return;
              kind = next.how === 'repeat' ? 'repeat' : 'retry';
              await sleep(clock, next.afterMs);
            }
          };
          const ends: Promise<void>[] = [];
          for (const [index, { afterMs }] of calls.entries()) {
            await clock.advance(afterMs);
            ends.push(one(index));
          }
          await clock.advanceUntil(Promise.all(ends));
          // A gate elsewhere hears of who asks, and who asks of what it says, only so much later.
          const seen = roundTripMs * 3;
          for (const granted of waits) {
            const overtaken = waits.filter(
              (other) =>
                other.again &&
                other.line === granted.line &&
                // Of those who came at one moment one that goes again is first.
                (granted.again ? other.cameMono < granted.cameMono : other.cameMono <= granted.cameMono) &&
                other.from + seen < granted.until &&
                other.until > granted.until + seen,
            );
            expect(overtaken).toEqual([]);
          }
          const view = await clock.advanceUntil(admission.inspect());
          expect(view).toMatchObject({ waiting: 0, active: 0, gate: { tickets: 0, budget: { places: 0 } } });
          await clock.advance(1_000);
          expect(clock.pendingTimers).toBe(0);
        }),
        { numRuns: 100 },
      );
    },
    60_000,
  );
});
