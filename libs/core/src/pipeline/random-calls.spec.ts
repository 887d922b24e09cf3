import fc from 'fast-check';
import { getEventListeners } from 'node:events';
import { memoryGate } from '../gate/memory/memory-gate.js';
import { type Going, Harness } from './harness.fixture.js';

/** A step of a script, as weights of what a bad day brings. */
const step = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 3000 }).map((ms) => `slow(${ms}) 200`) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 3000 }).map((ms) => `slow(${ms}) 503`) },
  { weight: 2, arbitrary: fc.integer({ min: -2, max: 90 }).map((seconds) => `429(retry-after: ${seconds})`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('429', '401', '404', '408', '501', 'reset', 'refused', 'hang', 'slow(2500) reset'),
  },
);

const one = fc.record({
  method: fc.constantFrom('GET', 'POST'),
  key: fc.boolean(),
  startMs: fc.integer({ min: 0, max: 4000 }),
  cancelAfterMs: fc.option(fc.integer({ min: 0, max: 8000 }), { nil: null }),
  deadlineMs: fc.option(fc.integer({ min: 1, max: 30_000 }), { nil: null }),
});

const K = 3;
const MAX_ATTEMPTS = 3;
/** Tries after failures, goes after refusals, one refresh: the most that one call may send. */
const MOST_SENDS = MAX_ATTEMPTS + 2 + 1;

interface Wired {
  readonly from: number;
  readonly to: number;
}

test('laws 1, 3, 6, 7 and 17: whatever the provider does and whenever callers give up, nothing is sent too often and nothing is left', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 12 }),
      fc.array(one, { minLength: 1, maxLength: 8 }),
      fc.boolean(),
      fc.integer(),
      async (script, calls, withGate, seed) => {
        const harness = new Harness({
          script: `${script.join(', ')}, slow(10) 200...`,
          seed,
          ...(withGate ? { gate: memoryGate() } : {}),
          options: {
            limits: [{ kind: 'concurrency', limit: K }],
            retry: { maxAttempts: MAX_ATTEMPTS, throttled: { maxAttempts: 3 }, jitter: 'full', budget: { floor: 3 } },
            timeouts: { attempt: '2s', total: '5m' },
            queue: { maxWait: '1m' },
            idempotency: {},
            guard: '100ms',
            auth: { credentials: () => ({ headers: { authorization: 'x' } }) },
          },
        });
        const { clock } = harness;
        const onWire: Wired[] = [];
        const controllers = calls.map(() => new AbortController());
        const going: Going[] = [];
        calls.forEach(({ method, key, startMs, cancelAfterMs, deadlineMs }, index) => {
          const { signal } = controllers[index]!;
          clock.schedule(startMs, () => {
            const sluice = {
              ...(key ? { idempotencyKey: `key-${index}` } : {}),
              ...(deadlineMs === null ? {} : { deadline: deadlineMs }),
            };
            const started = harness.go(method, { signal, sluice, name: `${method}${key ? '+key' : ''} ${index}` });
            going.push(started);
            if (cancelAfterMs !== null) clock.schedule(cancelAfterMs, () => controllers[index]!.abort());
          });
        });
        harness.hub.subscribe((event) => {
          if (event.type === 'attempt-ended')
            onWire.push({ from: clock.monoMs() - event.durationMs, to: clock.monoMs() });
        });

        await clock.advance(900_000);

        expect(going.every(({ end }) => end !== null)).toBe(true);
        const sends = new Map<string, number>();
        for (const { name } of harness.provider.log) sends.set(name, (sends.get(name) ?? 0) + 1);
        for (const count of sends.values()) expect(count).toBeLessThanOrEqual(MOST_SENDS);
        if (withGate) {
          for (const { from } of onWire) {
            expect(onWire.filter((other) => other.from <= from && from < other.to).length).toBeLessThanOrEqual(K);
          }
        }
        for (const { signal } of controllers) expect(getEventListeners(signal, 'abort')).toHaveLength(0);
        const endings = harness.ofType('call-ended').length;
        expect(endings).toBe(calls.length);
        await harness.expectNothingLeft();
      },
    ),
    { numRuns: 150 },
  );
}, 60_000);

test('law 7: a bare write never goes again once it may have run, whatever comes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (script) => {
      const harness = new Harness({
        script: `${script.join(', ')}, slow(10) 200...`,
        options: { retry: { maxAttempts: 4, throttled: { maxAttempts: 4 } }, timeouts: { attempt: '2s', total: '1d' } },
      });
      const mayHaveRun: number[] = [];
      harness.hub.subscribe((event) => {
        if (event.type !== 'attempt-ended') return;
        const ran = event.status === null ? event.outcome === 'unknown' : ![429, 401].includes(event.status);
        if (ran) mayHaveRun.push(harness.provider.log.length);
      });
      const going = harness.go('POST');
      await harness.clock.advance(3_600_000);
      expect(going.end).not.toBeNull();
      for (const sent of mayHaveRun) expect(harness.provider.log).toHaveLength(sent);
      await harness.expectNothingLeft();
    }),
    { numRuns: 200 },
  );
}, 60_000);
