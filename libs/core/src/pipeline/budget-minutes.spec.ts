import fc from 'fast-check';
import { memoryGate } from '../gate/memory/memory-gate.js';
import type { AttemptResult } from './call.js';
import { STALE_GRANT } from './call.js';
import { drive, Harness } from './harness.fixture.js';
import { answered, failed } from './scripted-provider.fixture.js';

const MINUTE = 60_000;

/** What the provider wrote down. */
interface Entry {
  readonly at: number;
  readonly name: string;
  readonly status: number;
}

/** Law 9 by brute force. A retry is what its call sends after a failure; going again after a refusal counts for nothing. */
function excess(log: readonly Entry[], ratio: number, floor: number): string | null {
  const kinds = log.map(({ name }, i) => {
    const before = log.slice(0, i).findLast((entry) => entry.name === name);
    return before === undefined ? 'first' : before.status === 429 ? 'repeat' : 'retry';
  });
  const counted = log.map(({ at }, i) => ({ at, kind: kinds[i] })).filter(({ kind }) => kind !== 'repeat');
  const judge = (of: typeof counted, where: string): string | null => {
    const retries = of.filter(({ kind }) => kind === 'retry').length;
    return retries > Math.max(floor, ratio * of.length + 1e-9) ? `${retries} of ${of.length} in ${where}` : null;
  };
  for (const { at, kind } of counted) {
    if (kind !== 'retry') continue;
    const trailing = counted.filter((other) => other.at > at - MINUTE + 0.002 && other.at <= at);
    const found = judge(trailing, `the minute that ends at ${at}`);
    if (found !== null) return found;
  }
  for (let minute = 0; minute <= (log.at(-1)?.at ?? 0) / MINUTE; minute += 1) {
    const of = counted.filter(({ at }) => Math.floor(at / MINUTE) === minute);
    const found = judge(of, `calendar minute ${minute}`);
    if (found !== null) return found;
  }
  return null;
}

const bursts = fc.array(
  fc.record({
    afterMs: fc.oneof(fc.nat({ max: 3_000 }), fc.constantFrom(0, 5_000, 20_000, 59_999, 60_000)),
    calls: fc.integer({ min: 1, max: 8 }),
    /** How the provider meets them, in turn. */
    answers: fc.array(fc.constantFrom(200, 503, 503, 503, 429), { minLength: 1, maxLength: 12 }),
    cancelMs: fc.option(fc.nat({ max: 90_000 })),
    unused: fc.boolean(),
  }),
  { minLength: 1, maxLength: 10 },
);

describe.each([
  ['without a breaker', false],
  ['with a breaker that refuses', { consecutiveFailures: 12, probeEvery: '7s' }],
  ['with a breaker that lets calls wait', { consecutiveFailures: 6, probeEvery: '7s', whileOpen: 'wait' }],
] as const)('law 9, by the log of the provider, %s', (_, breaker) => {
  it('retries after failures are at most their share, or the floor, of every calendar minute and of the minute that ends at each; no place is left', async () => {
    await fc.assert(
      fc.asyncProperty(bursts, fc.integer({ min: 0, max: 3 }), fc.integer(), async (script, floor, seed) => {
        const harness = new Harness({
          gate: memoryGate(),
          seed,
          options: {
            breaker,
            limits: [{ kind: 'concurrency', limit: 100 }],
            retry: {
              maxAttempts: 4,
              throttled: { maxAttempts: 4 },
              maxDelay: '20s',
              jitter: 'full',
              maxWait: '20m',
              budget: { ratio: 0.1, floor },
            },
            pause: { initial: '1s', max: '1s' },
            timeouts: { attempt: '10s', total: '20m' },
          },
        });
        const { clock } = harness;
        const log: Entry[] = [];
        const ends: Promise<unknown>[] = [];
        const controllers: AbortController[] = [];
        for (const [b, { afterMs, calls, answers, cancelMs, unused }] of script.entries()) {
          await clock.advance(afterMs);
          let turn = 0;
          for (let i = 0; i < calls; i += 1) {
            const name = `${b}.${i}`;
            let sent = 0;
            const send = (): Promise<AttemptResult> => {
              sent += 1;
              // Its first retry comes to a process that is too busy to send it in time.
              if (unused && sent === 2) return Promise.resolve(failed(false, STALE_GRANT));
              const status = answers[turn % answers.length]!;
              turn += 1;
              log.push({ at: clock.monoMs(), name, status });
              return Promise.resolve(answered({ status }));
            };
            const controller = new AbortController();
            controllers.push(controller);
            if (cancelMs !== null && i % 2 === 1) clock.schedule(cancelMs, () => controller.abort());
            ends.push(drive(harness.call('GET', { signal: controller.signal }), send));
          }
        }
        await clock.advance(30 * MINUTE);
        await Promise.all(ends);
        expect(excess(log, 0.1, floor)).toBeNull();
        const { gate } = await harness.runtime.admission.inspect();
        expect(gate).toMatchObject({ tickets: 0, leases: 0, budget: { places: 0 } });
        await harness.expectNothingLeft();
      }),
      { numRuns: 40 },
    );
  }, 60_000);
});

describe('where calls wait for the provider, one that finds the budget spent', () => {
  const waiting = (floor: number) =>
    new Harness({
      gate: memoryGate(),
      options: {
        breaker: { consecutiveFailures: 3, probeEvery: '10s', whileOpen: 'wait' },
        limits: [{ kind: 'concurrency', limit: 100 }],
        retry: { maxAttempts: 50, maxDelay: '1s', maxWait: '12h', budget: { ratio: 0.1, floor } },
        queue: { maxWait: '12h' },
        timeouts: { attempt: '10s', total: '12h' },
      },
    });

  it('waits, and goes at the first moment that both minutes allow: in order of arrival, none refused', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat({ max: 9_000 }), { minLength: 3, maxLength: 12 }),
        fc.integer({ min: 1, max: 3 }),
        fc.nat({ max: 50_000 }),
        async (gaps, floor, downMs) => {
          const harness = waiting(floor);
          const { clock } = harness;
          const retries: { readonly at: number; readonly index: number; readonly failed: boolean }[] = [];
          const arrivals: number[] = [];
          let upAt = Infinity;
          const ends = [];
          for (const [index, gap] of gaps.entries()) {
            let sent = 0;
            arrivals.push(clock.monoMs());
            const send = (): Promise<AttemptResult> => {
              const status = clock.monoMs() < upAt ? 503 : 200;
              if (sent > 0) retries.push({ at: clock.monoMs(), index, failed: status === 503 });
              sent += 1;
              return Promise.resolve(answered({ status }));
            };
            ends.push(drive(harness.call(), send));
            await clock.advance(gap);
          }
          await clock.advance(downMs);
          upAt = clock.monoMs();
          await clock.advance(6 * 3_600_000);
          for (const end of await Promise.all(ends)) expect(end).toMatchObject({ decision: 'deliver', reason: null });
          const good = retries.filter(({ failed: no }) => !no);
          // The first of them may have been the probe, and those who never failed are no retries.
          const order = good.slice(1).map(({ index }) => arrivals[index]!);
          expect(order).toEqual([...order].sort((one, other) => one - other));
          // Each comes as soon as the floor of both minutes has room for it.
          for (let i = 1; i < good.length; i += 1) {
            const before = retries.filter((retry) => retry.at <= good[i]!.at && retry !== good[i]);
            const fits = (at: number): boolean =>
              before.filter((retry) => retry.at > at - MINUTE + 0.002 && retry.at <= at).length < floor &&
              before.filter((retry) => Math.floor(retry.at / MINUTE) === Math.floor(at / MINUTE)).length < floor;
            const from = good[i - 1]!.at;
            const moments = [from, ...before.map(({ at }) => at + MINUTE), (Math.floor(from / MINUTE) + 1) * MINUTE];
            const soonest = Math.min(...moments.filter((at) => at >= from && fits(at)));
            expect(Math.abs(good[i]!.at - soonest)).toBeLessThan(0.01);
          }
          await harness.expectNothingLeft();
        },
      ),
      { numRuns: 40 },
    );
  }, 60_000);

  it('is not overtaken by a later call that fails when there is room again', async () => {
    const traffic = fc.array(
      fc.record({ afterMs: fc.nat({ max: 7_000 }), good: fc.nat({ max: 30 }), bad: fc.nat({ max: 2 }) }),
      {
        minLength: 1,
        maxLength: 12,
      },
    );
    await fc.assert(
      fc.asyncProperty(traffic, fc.integer({ min: 0, max: 2 }), async (script, floor) => {
        const harness = waiting(floor);
        const { clock } = harness;
        /** When each call failed for the last time, and when it went again with success. */
        const retried: { readonly came: number; failedAt: number; at: number }[] = [];
        const ends: Promise<unknown>[] = [];
        const bad = (failures: number): void => {
          const call = { came: retried.length, failedAt: Infinity, at: Infinity };
          retried.push(call);
          let sent = 0;
          const send = (): Promise<AttemptResult> => {
            sent += 1;
            if (sent <= failures) call.failedAt = clock.monoMs();
            else call.at = clock.monoMs();
            return Promise.resolve(answered({ status: sent <= failures ? 503 : 200 }));
          };
          ends.push(drive(harness.call(), send));
        };
        for (let i = 0; i < 4; i += 1) bad(1);
        for (const step of script) {
          await clock.advance(step.afterMs);
          for (let i = 0; i < step.good; i += 1) {
            ends.push(drive(harness.call(), () => Promise.resolve(answered({ status: 200 }))));
          }
          await clock.advance(0);
          for (let i = 0; i < step.bad; i += 1) bad(1);
        }
        // What waits for a share alone goes once there are first attempts to have a share of.
        for (let minute = 0; minute < 60; minute += 1) {
          await clock.advance(MINUTE / 2);
          for (let i = 0; i < 20; i += 1)
            ends.push(drive(harness.call(), () => Promise.resolve(answered({ status: 200 }))));
        }
        await clock.advance(3_600_000);
        await Promise.all(ends);
        for (const later of retried) {
          // It came, and failed, when others had slept their second and stood in line.
          const overtaken = retried.filter(
            (one) => one.came < later.came && one.failedAt + 1_001 < later.failedAt && one.at > later.at,
          );
          expect(overtaken).toEqual([]);
        }
        await harness.expectNothingLeft();
      }),
      { numRuns: 40 },
    );
  }, 60_000);
});
