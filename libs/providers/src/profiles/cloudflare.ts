import { slidingWindow } from '../../../core/src/index.js';
import { family, X_RATELIMIT } from '../fields.js';
import { profile } from '../profile.js';

export const CLOUDFLARE = profile({
  name: 'cloudflare',
  title: 'Cloudflare API',
  sources: [
    { url: 'https://developers.cloudflare.com/fundamentals/api/reference/limits/', checked: '2026-11-30' },
    { url: 'https://developers.cloudflare.com/changelog/2025-09-03-rate-limiting-improvement', checked: '2026-11-30' },
  ],
  choices: {},
  numbers: {
    perFiveMinutes: { value: 1_200, what: 'calls per five minutes of a user, over dashboard, keys and tokens' },
    perSecond: { value: 200, what: 'calls a second from one IP address' },
    graphqlPerFiveMinutes: {
      value: 320,
      what: 'queries of GraphQL per five minutes, at most: it varies by their cost',
    },
  },
  contract: ({ perFiveMinutes, perSecond, graphqlPerFiveMinutes }) => ({
    http: { baseURL: 'https://api.cloudflare.com/client/v4' },
    dimensions: ['user'],
    routes: { graphql: 'POST /graphql' },
    limits: [
      slidingWindow({ name: 'five-minutes', limit: perFiveMinutes, per: '5m' }),
      slidingWindow({ name: 'address', limit: perSecond, per: '1s', countedBy: [] }),
      slidingWindow({ name: 'graphql', limit: graphqlPerFiveMinutes, per: '5m', routes: ['graphql'] }),
    ],
    graphql: true,
    reading: {
      scopes: { default: 'five-minutes', user: 'five-minutes' },
      fields: [{ header: 'ratelimit', policy: 'ratelimit-policy' }],
      windows: [{ ...family(X_RATELIMIT, 'user'), reset: { from: `${X_RATELIMIT}-reset`, as: 'date' } }],
      rules: [
        // Without a word of how long: everything is refused for the next five minutes.
        { when: { status: 429 }, kind: 'rate', waitMs: 300_000 },
        // A 403 is no limit, though it may be the last answer of a window.
        { when: { status: 403 }, means: 'rejected' },
      ],
    },
  }),
  notes: {
    refused: ['429; after that everything is refused for five minutes'],
    told: [
      '`Ratelimit: "default";r=50;t=30` and `Ratelimit-Policy: "burst";q=100;w=60`: `r` calls left, `t` and `w` in seconds; the names of the two need not agree',
      'formerly `x-ratelimit-limit`, `-remaining` and `-reset`, an RFC 1123 date',
      '`Retry-After` in seconds, only on a 429',
    ],
    resend: ['a 429 has not been done: safe to send again'],
    traps: [
      'calls that people make in the dashboard count against the same limit: leave them room with `ourShare`',
      'the 200 a second are those of one IP address; in the contract all processes share them',
      'some products have limits of their own, which are not in the contract',
      'the structured headers are those of the REST API; GraphQL is not told to send them',
    ],
  },
});
