import fc from 'fast-check';
import type { RequestEnd, RequestRecord, StoredRequest } from '../operations/port/request.js';
import type { OperationJournal } from '../operations/journal.js';
import { Harness } from './harness.fixture.js';
import { JournalDouble, runOf } from './journal-double.fixture.js';

const RETENTION_MS = 60_000;
const ATTEMPT_MS = 2000;

/** That the provider did not do it is certain after these alone. */
const NOT_DONE = /429|401|422|refused/;

const step = fc.constantFrom('201', 'slow(1500) 201', '503', 'slow(1500) 503', 'reset', 'hang', '429', '429(retry-after: 2)', '401', '422', 'refused'); // prettier-ignore

const run = fc.record({
  afterMs: fc.integer({ min: 0, max: 40_000 }),
  /** From then on another process holds the operation: what this one writes is not taken. */
  lostAfterMs: fc.option(fc.integer({ min: 0, max: 4000 }), { nil: null }),
  amount: fc.integer({ min: 1, max: 9 }),
});

/** The journal of one holder. */
class Held implements OperationJournal {
  lost = false;

  constructor(private readonly journal: JournalDouble) {}

  get isOpen(): boolean {
    return !this.lost;
  }

  known(step: string): StoredRequest | undefined {
    return this.journal.known(step);
  }

  record(request: RequestRecord): Promise<StoredRequest> {
    return this.lost ? Promise.reject(new Error('lost')) : this.journal.record(request);
  }

  ended(step: string, end: RequestEnd): Promise<void> {
    return this.lost ? Promise.resolve() : this.journal.ended(step, end);
  }
}

test('law 7: whatever the provider does, and wherever its holders are lost, a bare write is repeated only where it did not happen, a keyed one only as it was and while its key lives', async () => {
  let repeats = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 10 }),
      fc.array(run, { minLength: 2, maxLength: 6 }),
      fc.boolean(),
      async (script, runs, keyed) => {
        const harness = new Harness({
          script: `${script.join(', ')}, 201...`,
          options: {
            retry: { maxAttempts: 3, throttled: { maxAttempts: 3 }, baseDelay: 500, maxWait: '20s', budget: false },
            timeouts: { attempt: ATTEMPT_MS, total: '30s' },
            ...(keyed && { idempotency: { header: 'X-Key', retention: RETENTION_MS } }),
          },
        });
        const journal = new JournalDouble(harness.clock);
        for (const { afterMs, lostAfterMs, amount } of runs) {
          const held = new Held(journal);
          const sluice = { idempotencyKey: `key-${amount}` };
          const going = runOf(held, harness.clock).within(() => harness.go('POST', { sluice }));
          if (lostAfterMs !== null) {
            await harness.clock.advance(lostAfterMs);
            held.lost = true;
          } else {
            await harness.clock.advance(30_000);
            expect(going.end).not.toBeNull();
          }
          await harness.clock.advance(afterMs);
        }
        await harness.clock.advance(60_000);
        const arrived = [...(script as string[]), ...Array<string>(99).fill('201')].filter(
          (what) => what !== 'refused',
        );
        const { log } = harness.provider;
        repeats += Math.max(0, log.length - 1);
        let since = log[0]?.t ?? 0;
        log.forEach(({ t, headers }, index) => {
          if (index === 0) return;
          const before = arrived[index - 1]!;
          if (NOT_DONE.test(before) && !arrived.slice(0, index - 1).some((what) => !NOT_DONE.test(what))) since = t;
          else if (!keyed) throw new Error(`It was sent again after ${before}.`);
          if (keyed) {
            expect(headers['X-Key']).toBe(log[0]?.headers['X-Key']);
            expect(t).toBeLessThan(since + RETENTION_MS);
          }
        });
        // What was answered, and heard by its holder, is over.
        const answered = log.findIndex((_, index) => arrived[index] === '201');
        if (answered !== -1 && runs.every(({ lostAfterMs }) => lostAfterMs === null)) {
          expect(log).toHaveLength(answered + 1);
        }
        await harness.expectNothingLeft();
      },
    ),
    { numRuns: 200 },
  );
  expect(repeats).toBeGreaterThan(100);
});
