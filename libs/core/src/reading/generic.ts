/** The generic reading, in the same vocabulary as a contract's. */
import { type Guess, guessesAbout, REFUSED_403, type TimeGuesses } from './guess.js';
import type { AnswerRule, ReadingOptions, WindowOptions } from './options.js';

/** Families of fields that mean the same; the first of which an answer holds any figure counts. */
export const GENERIC_FAMILIES: readonly WindowOptions[] = ['ratelimit', 'x-ratelimit', 'x-rate-limit'].map(
  (family) => ({
    remaining: `${family}-remaining`,
    limit: `${family}-limit`,
    reset: `${family}-reset`,
  }),
);

export const GENERIC_WAITS: NonNullable<ReadingOptions['waits']> = ['retry-after'];
/** What is taken for granted of the times above, by header. Of `Retry-After` and the IETF's `RateLimit-Reset` numbers are seconds by definition. */
export const GENERIC_GUESSES: Readonly<Record<string, TimeGuesses>> = Object.fromEntries(
  ['retry-after', 'ratelimit-reset', 'x-ratelimit-reset', 'x-rate-limit-reset'].map((header) => [
    header,
    guessesAbout(header, !header.startsWith('x-')),
  ]),
);
export const GENERIC_FIELDS: NonNullable<ReadingOptions['fields']> = [
  { header: 'ratelimit', policy: 'ratelimit-policy' },
];

/** Names the quota of a draft-3-to-6 limit among its policies. */
export const GENERIC_POLICY = 'ratelimit-policy';

const VIOLATED: AnswerRule['scope'] = { from: { body: 'violated-policies[]' } };

/** `guess`: what it takes for granted. */
export interface GenericRule extends AnswerRule {
  readonly guess?: Guess;
}

export const GENERIC_RULES: readonly GenericRule[] = [
  // The problem types of draft-ietf-httpapi-ratelimit-headers-10, section 6.
  { when: { status: 429, body: { type: /#quota-exceeded$/ } }, kind: 'quota', scope: VIOLATED },
  { when: { status: 429, body: { type: /#abnormal-usage-detected$/ } }, kind: 'abuse', scope: VIOLATED },
  { when: { status: 503, body: { type: /#temporary-reduced-capacity$/ } }, kind: 'overload', scope: VIOLATED },
  // A refusal for a limit is known by its structure, not by its wording.
  { when: { status: 403, hinted: true }, limited: true, guess: REFUSED_403 },
  { when: { status: 403, remaining: 'none' }, limited: true, guess: REFUSED_403 },
];
