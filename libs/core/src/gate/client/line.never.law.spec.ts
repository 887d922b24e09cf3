import fc from 'fast-check';
import { getEventListeners } from 'node:events';
import { SeededRandom, VirtualClock } from '../../../../testing/src/index.js';
import { concurrency, tokenBucket } from '../../contract/builders.js';
import { sleep } from '../../time/timers.js';
import { memoryGate } from '../memory/memory-gate.js';
import { createAdmission } from './create-admission.js';
import { contractOf, delayed, recorder, request, settlement } from './gates.fixture.js';

const call = fc.record({
  afterMs: fc.nat({ max: 120 }),
  lane: fc.nat({ max: 1 }),
  tenant: fc.constantFrom('', 'a', 'b'),
  account: fc.constantFrom('x', 'y'),
  runMs: fc.nat({ max: 300 }),
  cancelMs: fc.option(fc.nat({ max: 1_500 })),
  deadlineMs: fc.option(fc.nat({ max: 3_000 })),
  maxWaitMs: fc.constantFrom(0, 200, 5_000),
  end: fc.constantFrom('answered', 'not-sent', 'no-answer'),
  kind: fc.constantFrom('first', 'repeat'),
} as const);

/** Until the gate has first answered a call: the step under way, the pause between two steps, and its own; each step shows some only. */
const answerMsOf = (roundTripMs: number): number => 3 * (roundTripMs + 5);

describe.each([
  ['at once', 0],
  ['after 6 ms', 6],
])('law 4: over a gate that answers %s', (_title, roundTripMs) => {
  it('nobody waits for ever, no permit leaks, a ticket keeps its order, and neither timer nor listener is left', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 25 }), async (calls) => {
        const clock = new VirtualClock();
        const inner = memoryGate();
        const admission = createAdmission({
          contract: contractOf({
            guard: '20ms',
            dimensions: ['account'],
            lanes: { high: {}, low: {} },
            tenants: { maxShare: 0.5 },
            queue: { maxSize: 15 },
            limits: [
              tokenBucket({ name: 'wide', burst: 3, limit: 20, per: '1s', countedBy: [] }),
              tokenBucket({ name: 'own', burst: 2, limit: 10, per: '1s' }),
              concurrency({ limit: 3, countedBy: [] }),
            ],
          }),
          gate: roundTripMs === 0 ? inner : delayed(inner, clock, () => roundTripMs),
          clock,
          random: new SeededRandom(3),
          events: recorder(),
          processId: 'p1',
        });
        const started: { readonly ticket: string; readonly index: number }[] = [];
        const late: number[] = [];
        const signals: AbortSignal[] = [];
        const ends: Promise<string>[] = [];
        for (const [index, { lane, tenant, account, ...rest }] of calls.entries()) {
          await clock.advance(rest.afterMs);
          const controller = new AbortController();
          signals.push(controller.signal);
          const from = clock.monoMs();
          const lastMono = Math.min(
            rest.deadlineMs === null ? Infinity : from + rest.deadlineMs,
            from + Math.max(rest.maxWaitMs, roundTripMs === 0 ? 0 : answerMsOf(roundTripMs)),
          );
          let gone = false;
          const work = async (): Promise<string> => {
            try {
              const permit = await admission.admit(
                request({
                  lane,
                  tenant,
                  partition: { account },
                  kind: rest.kind,
                  maxWaitMs: rest.maxWaitMs,
                  deadlineMono: rest.deadlineMs === null ? Infinity : from + rest.deadlineMs,
                  signal: controller.signal,
                  attemptMs: 1_000,
                }),
              );
              if (gone) return 'permit for one who is gone';
              if (clock.monoMs() > lastMono + 0.01) late.push(index);
              started.push({ ticket: `${lane}|${tenant}|${account}|${rest.kind}`, index });
              await sleep(clock, rest.runMs);
              permit.settle(settlement({ end: rest.end, health: 'none' }));
              return 'started';
            } catch {
              return 'refused';
            }
          };
          ends.push(work());
          if (rest.cancelMs !== null) {
            clock.schedule(rest.cancelMs, () => {
              gone = !started.some((entry) => entry.index === index);
              controller.abort('gone');
            });
          }
        }
        await clock.advance(12_000);
        const how = await Promise.all(ends.map((end) => Promise.race([end, Promise.resolve('still waiting')])));
        expect(how).not.toContain('still waiting');
        expect(how).not.toContain('permit for one who is gone');
        expect(late).toEqual([]);
        for (const ticket of new Set(started.map((entry) => entry.ticket))) {
          const order = started.filter((entry) => entry.ticket === ticket).map(({ index }) => index);
          expect(order).toEqual([...order].sort((left, right) => left - right));
        }
        const view = await admission.inspect();
        expect(view).toMatchObject({ waiting: 0, active: 0 });
        await clock.advance(100);
        expect((await admission.inspect()).gate).toMatchObject({ leases: 0, tickets: 0 });
        expect(clock.pendingTimers).toBe(0);
        for (const signal of signals) expect(getEventListeners(signal, 'abort')).toHaveLength(0);
      }),
      { numRuns: 60 },
    );
  }, 60_000);
});

describe('law 3: cancelling, interleaved at random', () => {
  it('case 108: after a thousand interleavings the permits are all there, and none went to one who was gone', async () => {
    const clock = new VirtualClock();
    const chance = new SeededRandom(108);
    const admission = createAdmission({
      contract: contractOf({ guard: 0, limits: [concurrency({ limit: 2 })] }),
      gate: memoryGate(),
      clock,
      random: chance,
      events: recorder(),
      processId: 'p1',
    });
    let wrong = 0;
    let out = 0;
    let most = 0;
    const all: Promise<void>[] = [];
    for (let round = 0; round < 1_000; round += 1) {
      const controller = new AbortController();
      const { signal } = controller;
      const add = signal.addEventListener.bind(signal);
      let abortedAt = Infinity;
      signal.addEventListener('abort', () => (abortedAt = clock.monoMs()), { once: true });
      const when = Math.floor(chance.next() * 4);
      if (when === 0) {
        signal.addEventListener = (...args: Parameters<typeof add>) => {
          controller.abort('while registering');
          add(...args);
        };
      }
      const work = async (): Promise<void> => {
        try {
          const permit = await admission.admit(request({ signal }));
          // One that had its permit when it gave up must give it back itself.
          if (abortedAt < clock.monoMs()) wrong += 1;
          out += 1;
          most = Math.max(most, out);
          await sleep(clock, chance.next() * 5);
          out -= 1;
          permit.settle(settlement({ health: 'none' }));
        } catch {
          // Its caller is gone.
        }
      };
      all.push(work());
      if (when === 1) controller.abort('at once');
      if (when === 2) clock.schedule(chance.next() * 6, () => controller.abort('later'));
      if (chance.next() < 0.3) await clock.advance(chance.next() * 4);
    }
    await clock.advance(10_000);
    await Promise.all(all);
    expect({ wrong, most }).toEqual({ wrong: 0, most: 2 });
    const view = await admission.inspect();
    expect(view).toMatchObject({ waiting: 0, active: 0, gate: { leases: 0, tickets: 0 } });
    await clock.advance(50);
    expect(clock.pendingTimers).toBe(0);
  });
});
