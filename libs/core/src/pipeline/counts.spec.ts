import fc from 'fast-check';
import { memoryGate } from '../gate/memory/memory-gate.js';
import type { AttemptContext, AttemptEnd, AttemptOptions, AttemptResult, Call } from './call.js';
import { Harness } from './harness.fixture.js';
import { answered, failed } from './scripted-provider.fixture.js';

const CLASSES = {
  500: 'failure',
  503: 'failure',
  reset: 'failure',
  429: 'refusal',
  401: 'auth',
  302: 'redirect',
  200: 'done',
} as const;
type Word = keyof typeof CLASSES | 'unsent';

interface Page {
  readonly at: number;
  readonly name: string;
  readonly word: Word;
}

/** A provider that writes down what it did to whom. It never sees what is `unsent`. */
class Diary {
  readonly pages: Page[] = [];
  /** The pages, and what did not reach it: the wire writes that down. */
  readonly all: Page[] = [];

  constructor(
    private readonly script: Word[],
    private readonly now: () => number = () => 0,
  ) {}

  sender(name: string): (context: AttemptContext) => Promise<AttemptResult> {
    return () => {
      const word = this.script.shift() ?? 200;
      const page = { at: this.now(), name, word };
      this.all.push(page);
      if (word === 'unsent') return Promise.resolve(failed(false, 'ECONNREFUSED'));
      this.pages.push(page);
      return Promise.resolve(word === 'reset' ? failed(true, 'ECONNRESET') : answered({ status: Number(word) }));
    };
  }

  count(name: string, kind: (typeof CLASSES)[keyof typeof CLASSES]): number {
    return this.pages.filter((page) => page.name === name && page.word !== 'unsent' && CLASSES[page.word] === kind)
      .length;
  }
}

/**
 * Who was the probe of a breaker that opens after so many failures in a row: whatever was sent later than the moment it
 * opened, until one of them brings another answer than a failure.
 */
function probes(pages: readonly Page[], consecutiveFailures: number): ReadonlySet<Page> {
  const found = new Set<Page>();
  let failures = 0;
  let openedAt: number | null = null;
  for (const page of pages) {
    const failed = page.word === 'unsent' || CLASSES[page.word] === 'failure';
    if (openedAt !== null) {
      if (page.at <= openedAt) continue;
      found.add(page);
      openedAt = failed ? page.at : null;
    } else {
      // A refusal tells nothing of its health.
      if (page.word !== 429) failures = failed ? failures + 1 : 0;
      if (failures < consecutiveFailures) continue;
      openedAt = page.at;
    }
    failures = 0;
  }
  return found;
}

/** What a client that follows redirects does with a call: a retry of a hop goes to where the hop went. */
async function follow(call: Call, send: (context: AttemptContext) => Promise<AttemptResult>): Promise<AttemptEnd> {
  let options: AttemptOptions = {};
  for (;;) {
    const end = await call.attempt(send, options);
    if (end.decision === 'deliver' && end.result.status === 302) {
      const request = { method: 'DELETE', path: '/moved', query: {}, headers: {}, body: undefined, route: null };
      options = { hop: { request, sameOrigin: true } };
    } else if (end.decision !== 'retry') return end;
    else {
      const ended = await call.backoff();
      if (ended !== null) return ended;
    }
  }
}

const word = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom<Word>(500, 503, 'reset') },
  { weight: 3, arbitrary: fc.constant<Word>(429) },
  { weight: 3, arbitrary: fc.constantFrom<Word>(401, 302, 'unsent', 200) },
);

test.each([
  ['without a breaker', false],
  ['with a breaker that refuses', { consecutiveFailures: 4, probeEvery: '2s' }],
] as const)(
  'whatever comes in whatever order, a call meets no more failures and no more refusals than it has tries for each: %s',
  async (_, breaker) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(word, { minLength: 3, maxLength: 40 }),
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 3 }),
        fc.constantFrom('GET', 'DELETE'),
        async (script, maxAttempts, throttled, calls, method) => {
          const diary = new Diary([...script]);
          const harness = new Harness({
            gate: memoryGate(),
            options: {
              breaker,
              idempotency: {},
              retry: { maxAttempts, throttled: { maxAttempts: throttled } },
              auth: { credentials: () => ({ headers: { authorization: 'x' } }) },
            },
          });
          const names = Array.from({ length: calls }, (_, i) => `call ${i}`);
          const ends = names.map((name) =>
            follow(harness.call(method, { sluice: { idempotencyKey: name } }), diary.sender(name)),
          );
          await harness.clock.advance(3_600_000);
          await Promise.all(ends);
          for (const name of names) {
            expect(diary.count(name, 'failure')).toBeLessThanOrEqual(maxAttempts);
            expect(diary.count(name, 'refusal')).toBeLessThanOrEqual(throttled);
            expect(diary.count(name, 'auth')).toBeLessThanOrEqual(2);
          }
          await harness.expectNothingLeft();
        },
      ),
      { numRuns: 150 },
    );
  },
  60_000,
);

test('a DELETE that meets failures, refusals and a refresh is sent once for each of its tries of either kind and once for the refresh', async () => {
  const diary = new Diary([500, 401, 429, 500, 429, 302, 500, 200]);
  const harness = new Harness({
    gate: memoryGate(),
    options: {
      breaker: false,
      retry: { maxAttempts: 3, throttled: { maxAttempts: 3 } },
      auth: { credentials: () => ({ headers: { authorization: 'x' } }) },
      idempotency: {},
    },
  });
  const end = follow(harness.call('DELETE', { sluice: { idempotencyKey: 'k' } }), diary.sender('it'));
  await harness.clock.advance(3_600_000);
  expect(await end).toMatchObject({ reason: 'attempts-exhausted', result: { status: 500 } });
  expect(diary.pages.map((page) => page.word)).toEqual([500, 401, 429, 500, 429, 302, 500]);
  await harness.expectNothingLeft();
});

test('a probe for a breaker that lets calls wait is no try of the call that makes it: by the log each call has all its tries beside its probes, and no more', async () => {
  let failedProbes = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(word, { minLength: 3, maxLength: 40 }),
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 3 }),
      async (script, maxAttempts, consecutiveFailures, calls) => {
        const harness: Harness = new Harness({
          gate: memoryGate(),
          options: {
            breaker: { consecutiveFailures, probeEvery: '2s', whileOpen: 'wait' },
            idempotency: {},
            retry: { maxAttempts, throttled: { maxAttempts: 50 }, maxWait: '1d', maxDelay: '1s' },
            auth: { credentials: () => ({ headers: { authorization: 'x' } }) },
          },
        });
        const diary = new Diary([...script], () => harness.clock.monoMs());
        const names = Array.from({ length: calls }, (_, i) => `call ${i}`);
        const going = names.map((name) =>
          follow(harness.call('DELETE', { sluice: { idempotencyKey: name } }), diary.sender(name)),
        );
        await harness.clock.advance(3_600_000);
        const ends = await Promise.all(going);
        const probed = probes(diary.all, consecutiveFailures);
        for (const [i, name] of names.entries()) {
          const end = ends[i]!;
          const failures = diary.all.filter(
            (page) => page.name === name && (page.word === 'unsent' || CLASSES[page.word] === 'failure'),
          );
          const tries = failures.filter((page) => !probed.has(page)).length;
          failedProbes += failures.length - tries;
          expect(tries).toBeLessThanOrEqual(maxAttempts);
          if (end.decision !== 'retry' && end.reason === 'attempts-exhausted') expect(tries).toBe(maxAttempts);
        }
        expect((await harness.runtime.admission.inspect()).gate).toMatchObject({ tickets: 0, leases: 0 });
        await harness.expectNothingLeft();
      },
    ),
    { numRuns: 150 },
  );
  expect(failedProbes).toBeGreaterThan(10);
}, 60_000);
