import { concurrency, quota, slidingWindow } from '../../../core/src/index.js';
import type { Rules } from '../fields.js';
import { profile } from '../profile.js';

const DOCS = 'https://developer.monday.com/api-reference/docs';

/** Codes stand in `errors[].extensions.code`; older answers have one in `error_code`. */
const coded = (code: string, said: Omit<Rules[number], 'when'>): Rules =>
  ['errors[].extensions.code', 'error_code'].map((path) => ({
    when: { body: { [path]: { matches: code } } },
    ...said,
  }));

const RULES: Rules = [
  ...coded('^DAILY_LIMIT_EXCEEDED$', { limited: true, kind: 'quota', scope: 'daily' }),
  ...coded('^(?:COMPLEXITY_BUDGET_EXHAUSTED|ComplexityException)$', { limited: true, scope: 'complexity' }),
  ...coded('^(?:maxConcurrencyExceeded|CONCURRENCY_LIMIT_EXCEEDED)$', {
    limited: true,
    kind: 'concurrency',
    scope: 'concurrency',
  }),
  ...coded('^FIELD_(?:MINUTE_RATE_)?LIMIT_EXCEEDED$', { limited: true, kind: 'rate', scope: 'field' }),
  ...coded('^IP_RATE_LIMIT_EXCEEDED$', { limited: true, kind: 'rate', scope: 'ip' }),
  ...coded('^(?:RATE_LIMIT_EXCEEDED|Rate Limit Exceeded|Minute limit rate exceeded)$', {
    limited: true,
    kind: 'rate',
    scope: 'minuteRate',
  }),
  ...coded('^API_TEMPORARILY_BLOCKED$', { means: 'overloaded' }),
  { when: { status: 409, body: { 'errors[].extensions.code': 'IDEMPOTENCY_CONFLICT' } }, means: 'key-in-use' },
  { when: { status: 423 }, means: 'failed', kind: 'lock' },
];

export const MONDAY = profile({
  name: 'monday',
  title: 'monday.com',
  sources: [
    { url: `${DOCS}/rate-limits`, checked: '2026-11-30' },
    { url: `${DOCS}/error-handling`, checked: '2026-11-30' },
    { url: `${DOCS}/idempotency`, checked: '2026-11-30' },
  ],
  choices: {
    plan: {
      values: ['other', 'pro', 'enterprise'],
      value: 'pro',
      what: 'plan of the account; `other` is any below Pro',
    },
    token: {
      values: ['app', 'personal', 'trial'],
      value: 'app',
      what: 'of an app, of a user, or of a user of a trial, NGO or free account',
    },
  },
  numbers: {
    perMinute: {
      value: { by: 'plan', of: { other: 1_000, pro: 2_500, enterprise: 5_000 } },
      what: 'calls a minute, account and app',
    },
    perDay: {
      value: { by: 'plan', of: { other: 1_000, pro: 10_000, enterprise: 25_000 } },
      what: 'calls a day (UTC) and account, over all its apps but those of the marketplace',
    },
    concurrent: {
      value: { by: 'plan', of: { other: 40, pro: 100, enterprise: 250 } },
      what: 'calls under way at once, of an account and app',
      whole: true,
    },
    complexityPerMinute: {
      value: { by: 'token', of: { app: 5_000_000, personal: 10_000_000, trial: 1_000_000 } },
      what: 'points of complexity a minute, account and app; an app has as many for reads and for writes',
    },
  },
  contract: ({ perMinute, perDay, concurrent, complexityPerMinute }) => ({
    http: { baseURL: 'https://api.monday.com/v2' },
    dimensions: ['account'],
    limits: [
      slidingWindow({ name: 'minute', limit: perMinute, per: '1m' }),
      slidingWindow({ name: 'complexity', unit: 'complexity', limit: complexityPerMinute, per: '1m' }),
      concurrency({ name: 'concurrent', limit: concurrent }),
      // Nothing tells what is left of the day; after a restart it is counted anew, and the refusal tells how long to wait.
      quota({ name: 'day', limit: perDay, per: 'day', volatile: true }),
    ],
    graphql: true,
    reading: {
      scopes: {
        minuteRate: 'minute',
        complexityMinute: 'complexity',
        complexity: 'complexity',
        concurrency: 'concurrent',
        daily: 'day',
      },
      fields: [{ header: 'ratelimit', policy: 'ratelimit-policy' }],
      waits: [
        'retry-after',
        { from: { body: 'errors[].extensions.retry_in_seconds' }, as: 'seconds' },
        { from: { body: 'errors[].extensions.error_data.retry_in_seconds' }, as: 'seconds' },
        { from: { body: 'error_data.retry_in_seconds' }, as: 'seconds' },
        { from: { body: 'errors[].message', pattern: 'reset in (\\d+) seconds' }, as: 'seconds' },
        { from: { body: 'error_message', pattern: 'reset in (\\d+) seconds' }, as: 'seconds' },
      ],
      cost: { body: 'data.complexity.query' },
      costUnit: 'complexity',
      rules: RULES,
    },
    idempotency: { header: 'Idempotency-Key', retention: '30m', methods: ['POST'] },
  }),
  notes: {
    refused: [
      '429, or 200 with errors; `errors[].extensions.code`: `COMPLEXITY_BUDGET_EXHAUSTED` (before: `ComplexityException`), `DAILY_LIMIT_EXCEEDED`, `maxConcurrencyExceeded`, `IP_RATE_LIMIT_EXCEEDED`, `FIELD_LIMIT_EXCEEDED`, `FIELD_MINUTE_RATE_LIMIT_EXCEEDED`',
    ],
    told: [
      '`RateLimit-Policy` and `RateLimit`, as the IETF has them: `minuteRate`, `concurrency`, `complexityMinute`; `t` only where something is spent',
      '`Retry-After` and `retry_in_seconds` in the error: seconds',
    ],
    cost: ['1 before; after it `data.complexity.query`, where the query asks for `complexity { query }`'],
    idempotency: [
      '`Idempotency-Key` on mutations; the answer is kept for 30 minutes and replayed with `Idempotency-Replayed: true`',
      '409 `IDEMPOTENCY_CONFLICT` with `Retry-After`: the first one still runs',
    ],
    resend: [
      'a refused call has not been done, but counts: a tenth of a call of the day, a whole one of the minute',
      'a query of more than 5,000,000 points is always refused',
      '423: the board is locked by another change',
    ],
    traps: [
      'a call of high complexity may count as several of the day',
      '5,000 calls in 10 seconds and IP address; 40 boards created or duplicated a minute; 10,000 formula values a minute: not held',
      'reads and writes of an app are counted together here, 5,000,000 points a minute for each at monday.com',
      'mutations of one board at once may spoil it: send them one after the other',
    ],
    unconfirmed: ['how a query above the most for one query is refused'],
  },
});
