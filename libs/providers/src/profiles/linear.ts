import { tokenBucket } from '../../../core/src/index.js';
import { profile } from '../profile.js';

const windowOf = (field: string) => ({
  limit: `x-ratelimit-${field}-limit`,
  remaining: `x-ratelimit-${field}-remaining`,
  reset: { from: `x-ratelimit-${field}-reset`, as: 'epoch-milliseconds' as const },
});

export const LINEAR = profile({
  name: 'linear',
  title: 'Linear',
  sources: [
    { url: 'https://linear.app/developers/rate-limiting', checked: '2026-11-30' },
    { url: 'https://github.com/linear/linear/blob/master/packages/sdk/src/error.ts', checked: '2026-11-30' },
    { url: 'https://github.com/linear/linear/blob/master/packages/sdk/src/webhooks/client.ts', checked: '2026-11-30' },
  ],
  choices: {
    token: { values: ['key', 'oauth'], value: 'key', what: 'a personal API key, or a token of an OAuth app' },
  },
  numbers: {
    perHour: {
      value: { by: 'token', of: { key: 2_500, oauth: 5_000 } },
      what: 'requests an hour and user (or app user), refilled steadily',
      unconfirmed: true,
    },
    complexityPerHour: {
      value: { by: 'token', of: { key: 3_000_000, oauth: 2_000_000 } },
      what: 'points of complexity an hour and user (or app user), refilled steadily',
      unconfirmed: true,
    },
  },
  contract: ({ perHour, complexityPerHour }) => ({
    http: { baseURL: 'https://api.linear.app' },
    dimensions: ['user'],
    limits: [
      tokenBucket({ name: 'requests', burst: perHour, limit: perHour, per: '1h' }),
      tokenBucket({
        name: 'complexity',
        unit: 'complexity',
        burst: complexityPerHour,
        limit: complexityPerHour,
        per: '1h',
      }),
    ],
    graphql: true,
    reading: {
      scopes: { requests: 'requests', complexity: 'complexity' },
      windows: [
        { ...windowOf('requests'), scope: 'requests', unit: 'requests' },
        { ...windowOf('complexity'), scope: 'complexity', unit: 'complexity', perSecond: complexityPerHour / 3_600 },
        { ...windowOf('endpoint-requests'), scope: { from: 'x-ratelimit-endpoint-name', prefix: 'endpoint:' } },
      ],
      cost: 'x-complexity',
      costUnit: 'complexity',
      rules: ['code', 'type'].map((field) => ({
        when: { body: { [`errors[].extensions.${field}`]: 'RATELIMITED' } },
        limited: true,
      })),
    },
  }),
  notes: {
    refused: [
      '400, not 429, with `errors[].extensions.code` `RATELIMITED`; the SDK goes by `extensions.type` `ratelimited`',
    ],
    told: [
      '`X-RateLimit-Requests-Limit`, `-Remaining`, `-Reset` and `X-RateLimit-Complexity-…`: of an hour; resets in milliseconds since 1970',
      '`X-RateLimit-Endpoint-Requests-…` and `X-RateLimit-Endpoint-Name`, where an endpoint has a limit of its own',
    ],
    cost: [
      '1 before, `X-Complexity` after: 0.1 for a property, 1 for an object, children times `first` (50 by default), rounded up',
    ],
    resend: ['a refused call has not been done', 'a query of more than 10,000 points is always refused'],
    traps: [
      'all keys of a user count together',
      'workspaces raise the limits of apps with actor authorisation with their paid users: what the headers tell is true',
      'without a token: 600 requests and 100,000 points an hour and IP address',
      'creates take an `id` of your own, which makes a repeat fail; it is no idempotency key',
    ],
    unconfirmed: [
      'the numbers: of the page as others quote it, September 2026; older copies have 1,500 and 5,000 requests an hour for an API key, 250,000 points',
      'that a refused mutation has had no effect; that creates take an `id`',
    ],
  },
  webhooks: [
    {
      signatureHeader: 'linear-signature',
      signed: 'raw body; `webhookTimestamp` in it tells the time in milliseconds',
      algorithm: 'hmac-sha256',
      encoding: 'hex',
      tolerance: '1m',
    },
  ],
});
