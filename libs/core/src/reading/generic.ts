/** The generic reading, in the same vocabulary as a contract's. */
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
export const GENERIC_FIELDS: NonNullable<ReadingOptions['fields']> = [
  { header: 'ratelimit', policy: 'ratelimit-policy' },
];

/** Names the quota of a draft-3-to-6 limit among its policies. */
export const GENERIC_POLICY = 'ratelimit-policy';

const VIOLATED: AnswerRule['scope'] = { from: { body: 'violated-policies[]' } };

export const GENERIC_RULES: readonly AnswerRule[] = [
  // The problem types of draft-ietf-httpapi-ratelimit-headers-10, section 6.
  { when: { status: 429, body: { type: /#quota-exceeded$/ } }, kind: 'quota', scope: VIOLATED },
  { when: { status: 503, body: { type: /#temporary-reduced-capacity$/ } }, kind: 'overload', scope: VIOLATED },
  // A refusal for a limit is known by its structure, not by its wording.
  { when: { status: 403, hinted: true }, limited: true },
  { when: { status: 403, remaining: 'none' }, limited: true },
];
