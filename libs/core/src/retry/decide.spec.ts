import fc from 'fast-check';
import type { AnswerMeaning, Safety } from '../model/outcome.js';
import { backoffMs, usableHintMs, waitBefore } from './backoff.js';
import { decide, type RetryQuestion, type RetryRules } from './decide.js';
import { outcomeOf, type Trouble, troubleOf, troubleWithoutAnswer } from './trouble.js';

const rules: RetryRules = {
  maxAttempts: 5,
  throttledMaxAttempts: 5,
  baseDelayMs: 1000,
  maxDelayMs: 30_000,
  maxWaitMs: 61_000,
  jitter: 'none',
};

const question: RetryQuestion = {
  trouble: 'failure',
  retryable: true,
  safety: 'safe',
  resendable: true,
  hintMs: null,
  history: { failures: 1, refusals: 0, unauthorised: 0 },
  remainingMs: 300_000,
  needMs: 1,
  keyLeftMs: Infinity,
  refreshable: true,
  budgetSpent: false,
  chance: { backoff: 0.5, spread: 0.5 },
};

const ask = (part: Partial<RetryQuestion>) => decide({ ...question, ...part }, rules);
const told = (part: Partial<RetryQuestion>): string => {
  const verdict = ask(part);
  if (verdict.action === 'stop') return `stop ${verdict.reason ?? ''}`.trim();
  return verdict.action === 'retry' ? `${verdict.kind} after ${verdict.waitMs}` : 'refresh';
};

/** The table of the statuses, as the generic reading and a bare status give them. */
test.each<[number, boolean, boolean, Trouble]>([
  [200, false, true, 'none'],
  [200, true, true, 'limited'],
  [304, false, true, 'none'],
  [400, false, false, 'permanent'],
  [401, false, false, 'auth'],
  [403, false, false, 'permanent'],
  [403, true, true, 'limited'],
  [404, false, false, 'permanent'],
  [408, false, true, 'failure'],
  [409, false, false, 'permanent'],
  [409, false, true, 'failure'],
  [422, false, false, 'permanent'],
  [425, false, true, 'failure'],
  [429, true, true, 'limited'],
  [429, false, true, 'locked'],
  [429, false, false, 'permanent'],
  [500, false, true, 'failure'],
  [501, false, false, 'permanent'],
  [502, false, true, 'failure'],
  [503, false, true, 'failure'],
  [504, false, true, 'failure'],
  [505, false, false, 'permanent'],
  [522, false, true, 'failure'],
])('status %i, limited %s, retryable %s: %s', (status, limited, retryable, trouble) => {
  expect(troubleOf(status, { limited, retryable }, 'safe')).toBe(trouble);
});

test.each<[AnswerMeaning, Trouble, Trouble]>([
  ['succeeded', 'none', 'none'],
  ['limited', 'limited', 'limited'],
  ['overloaded', 'overloaded', 'overloaded'],
  ['failed', 'failure', 'failure'],
  ['locked', 'locked', 'locked'],
  ['key-in-use', 'locked', 'permanent'],
  ['unauthorized', 'auth', 'auth'],
  ['rejected', 'permanent', 'permanent'],
])('what a contract calls %s is %s for a keyed call, %s for others, whatever its status', (means, keyed, others) => {
  for (const status of [200, 401, 404, 409, 429, 503]) {
    const heard = { limited: false, retryable: true, means };
    expect(troubleOf(status, heard, 'keyed')).toBe(keyed);
    expect(troubleOf(status, heard, 'unkeyed')).toBe(others);
    expect(troubleOf(status, heard, 'safe')).toBe(others);
  }
});

test.each<[boolean, string | null, Trouble, Trouble]>([
  // sent, code, safe and keyed, unkeyed
  [true, 'ECONNRESET', 'no-answer', 'no-answer'],
  [true, null, 'no-answer', 'no-answer'],
  [true, 'ERR_BAD_RESPONSE', 'no-answer', 'no-answer'],
  [true, 'ERR_BAD_REQUEST', 'permanent', 'no-answer'],
  [true, 'ANSWER_TOO_LARGE', 'permanent', 'no-answer'],
  [false, 'ECONNREFUSED', 'not-sent', 'not-sent'],
  [false, 'ENOTFOUND', 'not-sent', 'not-sent'],
  [false, 'CONNECT_TIMEOUT', 'not-sent', 'not-sent'],
  [false, 'ERR_INVALID_URL', 'permanent', 'permanent'],
  [false, null, 'permanent', 'permanent'],
])('without an answer, sent %s, code %s: %s; for a bare write %s', (sent, code, others, unkeyed) => {
  expect(troubleWithoutAnswer(sent, code, 'safe')).toBe(others);
  expect(troubleWithoutAnswer(sent, code, 'keyed')).toBe(others);
  expect(troubleWithoutAnswer(sent, code, 'unkeyed')).toBe(unkeyed);
});

test.each<[Trouble, string, string, string]>([
  // trouble, safe, keyed, unkeyed
  ['none', 'stop', 'stop', 'stop'],
  ['limited', 'repeat after 1000', 'repeat after 1000', 'repeat after 1000'],
  ['locked', 'repeat after 1000', 'repeat after 1000', 'repeat after 1000'],
  ['overloaded', 'repeat after 1000', 'repeat after 1000', 'stop unsafe'],
  ['failure', 'retry after 1000', 'retry after 1000', 'stop unsafe'],
  ['no-answer', 'retry after 1000', 'retry after 1000', 'stop unsafe'],
  ['not-sent', 'retry after 1000', 'retry after 1000', 'retry after 1000'],
  ['permanent', 'stop permanent', 'stop permanent', 'stop permanent'],
])('law 7: %s: safe %s, keyed %s, unkeyed %s', (trouble, safe, keyed, unkeyed) => {
  const history = { failures: 1, refusals: 0, unauthorised: 0 };
  expect(told({ trouble, history, safety: 'safe' })).toBe(safe);
  expect(told({ trouble, history, safety: 'keyed' })).toBe(keyed);
  expect(told({ trouble, history, safety: 'unkeyed' })).toBe(unkeyed);
});

test('a 401 gets one refresh, and none where there is nothing to refresh or the body is gone', () => {
  const once = { failures: 0, refusals: 0, unauthorised: 1 };
  expect(told({ trouble: 'auth', history: once })).toBe('refresh');
  expect(told({ trouble: 'auth', history: { ...once, unauthorised: 2 } })).toBe('stop auth');
  expect(told({ trouble: 'auth', history: once, refreshable: false })).toBe('stop auth');
  expect(told({ trouble: 'auth', history: once, resendable: false })).toBe('stop auth');
});

test.each<[string, Partial<RetryQuestion>, string]>([
  [
    'tries after failures are used up',
    { history: { failures: 5, refusals: 0, unauthorised: 0 } },
    'stop attempts-exhausted',
  ],
  ['refusals do not use them up', { history: { failures: 4, refusals: 5, unauthorised: 0 } }, 'retry after 30000'],
  [
    'goes after refusals are used up',
    { trouble: 'limited', history: { failures: 0, refusals: 5, unauthorised: 0 } },
    'stop attempts-exhausted',
  ],
  [
    'failures do not use those up',
    { trouble: 'limited', history: { failures: 5, refusals: 4, unauthorised: 0 } },
    'repeat after 30000',
  ],
  ['the answer says that it is hopeless', { trouble: 'limited', retryable: false }, 'stop permanent'],
  ['the budget is spent', { budgetSpent: true }, 'stop budget-exhausted'],
  ['a spent budget is nothing to a refusal', { trouble: 'limited', budgetSpent: true }, 'repeat after 1000'],
  ['the hint is longer', { hintMs: 5000 }, 'retry after 5000'],
  ['the hint is shorter', { hintMs: 5 }, 'retry after 1000'],
  ['the hint is just bearable', { hintMs: 61_000 }, 'retry after 61000'],
  ['the hint is unbearable', { hintMs: 61_001 }, 'stop wait-too-long'],
  ['the wait would pass the deadline', { remainingMs: 1000 }, 'stop deadline'],
  ['the next attempt would have too little left', { remainingMs: 1500, needMs: 600 }, 'stop deadline'],
  ['the next attempt would have just enough left', { remainingMs: 1500, needMs: 500 }, 'retry after 1000'],
  ['nothing is left', { remainingMs: -1 }, 'stop deadline'],
  ['the provider would have forgotten the key', { safety: 'keyed', keyLeftMs: 1000 }, 'stop unsafe'],
  ['the body is gone', { resendable: false }, 'stop unsafe'],
])('%s', (_why, part, verdict) => {
  expect(told(part)).toBe(verdict);
});

test('a refusal to wait tells when to come again: the hint as it was given', () => {
  expect(ask({ hintMs: 277_403_000, chance: { backoff: 1, spread: 1 } })).toMatchObject({ waitMs: 277_403_000 });
});

test('the backoff doubles, saturates at its cap, and jitter takes a share of it', () => {
  const full = { ...rules, jitter: 'full' as const };
  expect([1, 2, 3, 4, 5, 6, 7].map((tries) => backoffMs(tries, rules, 0.9))).toEqual([
    1000, 2000, 4000, 8000, 16_000, 30_000, 30_000,
  ]);
  expect(backoffMs(3, full, 0.25)).toBe(1000);
  expect(waitBefore(3, null, full, { backoff: 0.25, spread: 0.5 })).toEqual({ waitMs: 1250, waitReason: 'backoff' });
  expect(waitBefore(3, 9000, full, { backoff: 1, spread: 0.5 })).toEqual({ waitMs: 9250, waitReason: 'retry-after' });
});

test('case 12: no number of tries, no hint and no rule makes a wait that is not a finite number of at least 0', () => {
  const ms = fc.oneof(fc.double({ min: 0, max: 1e13, noNaN: true }), fc.constantFrom(0, 1, 2 ** 31, Number.MAX_VALUE));
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 5000 }),
      ms,
      ms,
      fc.option(fc.double(), { nil: null }),
      fc.constantFrom('full' as const, 'none' as const),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (tries, baseDelayMs, maxDelayMs, hint, jitter, chance) => {
        const backoff = { baseDelayMs, maxDelayMs, jitter };
        const { waitMs } = waitBefore(tries, usableHintMs(hint, 6e8), backoff, { backoff: chance, spread: chance });
        expect(Number.isFinite(waitMs) && waitMs >= 0).toBe(true);
        expect(waitMs).toBeLessThanOrEqual(Math.max(maxDelayMs, 6e8) + 500);
      },
    ),
  );
});

test('law 7: no question makes a bare write go again after it may have run', () => {
  const figure = fc.integer({ min: 0, max: 1e6 });
  fc.assert(
    fc.property(
      fc.constantFrom<Trouble>('failure', 'overloaded', 'no-answer'),
      fc.record({ failures: figure, refusals: figure, unauthorised: figure }),
      fc.option(figure, { nil: null }),
      figure,
      fc.boolean(),
      (trouble, history, hintMs, remainingMs, budgetSpent) => {
        expect(told({ trouble, safety: 'unkeyed', history, hintMs, remainingMs, budgetSpent })).toBe('stop unsafe');
      },
    ),
  );
});

test.each<[Trouble, Safety, string]>([
  ['none', 'unkeyed', 'succeeded'],
  ['limited', 'unkeyed', 'limited'],
  ['overloaded', 'keyed', 'limited'],
  ['overloaded', 'unkeyed', 'unknown'],
  ['auth', 'safe', 'rejected'],
  ['permanent', 'safe', 'rejected'],
  ['failure', 'safe', 'failed'],
  ['failure', 'unkeyed', 'unknown'],
  ['no-answer', 'keyed', 'failed'],
  ['no-answer', 'unkeyed', 'unknown'],
  ['not-sent', 'unkeyed', 'failed'],
])('%s of a request that is %s: %s', (trouble, safety, outcome) => {
  expect(outcomeOf(trouble, safety)).toBe(outcome);
});

test('what is put on a hint never makes a guess longer than it may be, nor the hint shorter', () => {
  const full = { ...rules, jitter: 'full' as const };
  const wait = (hint: number | null, longest: number) =>
    waitBefore(1, hint, full, { backoff: 0, spread: 0.5 }, longest).waitMs;
  expect([wait(60_000, 60_000), wait(59_900, 60_000), wait(5000, 60_000)]).toEqual([60_000, 60_000, 5250]);
  expect([wait(90_000, 60_000), wait(null, 100)]).toEqual([90_000, 250]);
});
