import { type RequestView, quota, slidingWindow } from '../../../core/src/index.js';
import { family, X_RATELIMIT } from '../fields.js';
import { profile } from '../profile.js';

const PLANS = ['lite', 'growth', 'premium', 'ultimate'] as const;
const SEARCHES = {
  search: 'GET /api/:version/:entity/search',
  'item-search': 'GET /api/:version/itemSearch',
  'field-search': 'GET /api/:version/itemSearch/field',
  'search-v1': 'GET /v1/:entity/search',
  'item-search-v1': 'GET /v1/itemSearch',
} as const;

/** The general costs; single endpoints may differ, and version 2 costs half. */
function tokensOf({ method, path }: RequestView): number {
  const half = /\/v2\//.test(path) ? 0.5 : 1;
  const single = /\/\d+\/?$/.test(path);
  if (method === 'DELETE') return (single ? 6 : 10) * half;
  if (method !== 'GET') return 10 * half;
  if (/\/(?:item)?search(?:\/|$)/i.test(path)) return 40 * half;
  return (single ? 2 : 20) * half;
}

export const PIPEDRIVE = profile({
  name: 'pipedrive',
  title: 'Pipedrive',
  sources: [{ url: 'https://pipedrive.readme.io/docs/core-api-concepts-rate-limiting', checked: '2026-11-30' }],
  choices: {
    plan: { values: PLANS, value: 'growth', what: 'plan of the company' },
    token: { values: ['api', 'oauth'], value: 'api', what: 'what calls are authorised by' },
    timeZone: { value: 'UTC', what: "time zone of Pipedrive's server, whose midnight begins the day" },
  },
  numbers: {
    perTwoSeconds: {
      value: { by: 'plan', of: { lite: 20, growth: 40, premium: 100, ultimate: 120 } },
      what: 'calls in two seconds of an API token',
      only: { by: 'token', in: ['api'] },
    },
    oauthPerTwoSeconds: {
      value: { by: 'plan', of: { lite: 80, growth: 160, premium: 400, ultimate: 480 } },
      what: 'calls in two seconds of an access token',
      only: { by: 'token', in: ['oauth'] },
    },
    searchesPerTwoSeconds: { value: 10, what: 'searches in two seconds of a token' },
    tokensPerSeat: {
      value: { by: 'plan', of: { lite: 30_000, growth: 60_000, premium: 150_000, ultimate: 210_000 } },
      what: 'tokens a day for each seat of the company',
      unconfirmed: true,
    },
    seats: { value: 1, what: 'seats of the company' },
  },
  contract: ({ token, perTwoSeconds, oauthPerTwoSeconds, searchesPerTwoSeconds, tokensPerSeat, seats, timeZone }) => ({
    http: { baseURL: 'https://api.pipedrive.com' },
    dimensions: ['company', 'user'],
    routes: SEARCHES,
    units: (request) => ({ tokens: tokensOf(request) }),
    limits: [
      slidingWindow({ name: 'burst', limit: token === 'oauth' ? oauthPerTwoSeconds : perTwoSeconds, per: '2s' }),
      slidingWindow({ name: 'search', limit: searchesPerTwoSeconds, per: '2s', routes: Object.keys(SEARCHES) }),
      // Its answers tell what is left: a restart forgets it until the first one.
      quota({
        name: 'day',
        unit: 'tokens',
        limit: tokensPerSeat * seats,
        per: 'day',
        timeZone,
        countedBy: ['company'],
        volatile: true,
      }),
    ],
    reading: {
      scopes: { burst: 'burst', day: 'day' },
      windows: [
        {
          ...family(X_RATELIMIT, 'burst'),
          reset: { from: 'x-ratelimit-reset', as: 'seconds' },
          windowSeconds: 2,
        },
        {
          scope: 'day',
          unit: 'tokens',
          limit: 'x-daily-ratelimit-token-limit',
          remaining: 'x-daily-ratelimit-token-remaining',
          kind: 'quota',
        },
        { scope: 'day-writes', remaining: 'x-daily-requests-left', kind: 'quota' },
      ],
      rules: [
        // What comes after refusals were not heeded: a page of HTML in place of JSON.
        {
          when: { status: 403, headers: { 'content-type': { matches: '^text/html' } } },
          limited: true,
          kind: 'secondary',
          scope: 'blocked',
        },
      ],
    },
  }),
  notes: {
    refused: [
      '429, for the two seconds as for the day; the headers tell which',
      '403 with a page of HTML where calls go on after 429: a block; a 403 in JSON is no limit',
    ],
    told: [
      '`x-ratelimit-limit`, `-remaining` and `-reset` (seconds from now): calls of the token in two seconds',
      '`x-daily-ratelimit-token-limit` and `-remaining`: tokens of the company; may be missing after a rest',
      '`x-daily-requests-left`: an older count of writes, for API tokens',
    ],
    cost: [
      'one record 2, a list 20, a search 40, a change 10, a deletion 6, of a list 10 tokens; half of it under `/v2/`',
    ],
    resend: ['a 429 has not been done: safe to send again', 'there are no keys of idempotency'],
    traps: [
      "the day's tokens are the company's, over all its users and apps: give `seats`",
      'a day that is used up ends at midnight of the server, which need not be UTC',
      'user interface and webhooks cost nothing',
    ],
    unconfirmed: [
      'the tokens a seat by plan, and the costs of version 2 (5 for a creation, 3 for a deletion, 20 for a search)',
      '`x-daily-ratelimit-token-*`, which the page does not name',
    ],
  },
});
