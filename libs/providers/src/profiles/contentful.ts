import { slidingWindow } from '../../../core/src/index.js';
import { profile } from '../profile.js';

const DOCS = 'https://www.contentful.com/developers';

const HOSTS: Readonly<Record<string, string>> = {
  management: 'https://api.contentful.com',
  delivery: 'https://cdn.contentful.com',
  preview: 'https://preview.contentful.com',
  graphql: 'https://graphql.contentful.com',
};

export const CONTENTFUL = profile({
  name: 'contentful',
  title: 'Contentful',
  sources: [
    { url: `${DOCS}/docs/references/content-management-api/`, checked: '2026-09-30' },
    { url: `${DOCS}/docs/technical-limits-2022`, checked: '2026-11-30' },
    { url: `${DOCS}/api-changes/content-delivery-api-and-graphql-api-response-header/`, checked: '2026-11-30' },
    { url: `${DOCS}/docs/extensibility/webhooks/request-verification`, checked: '2026-11-30' },
    { url: 'https://github.com/contentful/contentful-sdk-core/blob/master/src/rate-limit.ts', checked: '2026-11-30' },
  ],
  choices: {
    api: {
      values: ['management', 'delivery', 'preview', 'graphql'],
      value: 'management',
      what: 'Content Management, Delivery or Preview API, or GraphQL: each is another host',
    },
  },
  numbers: {
    perSecond: {
      value: { by: 'api', of: { management: 7, delivery: 55, preview: 14, graphql: 55 } },
      what: 'requests a second and space, as of the smallest plan; what headers tell is true',
      unconfirmed: true,
    },
  },
  contract: ({ api, perSecond }) => ({
    http: { baseURL: HOSTS[api] as string },
    dimensions: ['space'],
    limits: [slidingWindow({ name: 'second', limit: perSecond, per: '1s' })],
    ...(api === 'graphql' ? { graphql: true } : {}),
    reading: {
      scopes: { second: 'second' },
      // Tells when the next request is accepted, whichever limit refused: a wait, and no reset of one of them.
      waits: ['retry-after', { from: 'x-contentful-ratelimit-reset', as: 'seconds' }],
      windows: [
        {
          scope: 'second',
          limit: 'x-contentful-ratelimit-second-limit',
          remaining: 'x-contentful-ratelimit-second-remaining',
          windowSeconds: 1,
        },
        {
          scope: 'hour',
          limit: 'x-contentful-ratelimit-hour-limit',
          remaining: 'x-contentful-ratelimit-hour-remaining',
          windowSeconds: 3_600,
        },
      ],
    },
  }),
  notes: {
    refused: ['429 with `sys.id` `RateLimitExceeded`'],
    told: [
      '`X-Contentful-RateLimit-Second-Limit`, `-Second-Remaining`: Management API on every answer, Delivery API and GraphQL the limit only',
      '`X-Contentful-RateLimit-Reset`: seconds until the next request is accepted, 0 on answers that are no refusal',
      '`X-Contentful-RateLimit-Hour-…` on older answers',
    ],
    resend: [
      'a 429 has not been done',
      'a PUT with an id of your own and `X-Contentful-Version` changes nothing twice: the second is 409 `VersionMismatch`',
    ],
    traps: [
      'paid plans have 10 a second and more at the Management API: give `perSecond`, or look at `-Second-Limit`',
      'calls a month are billed by plan, and not held',
      'answers of the Delivery API that come from its network’s caches do not count',
    ],
    unconfirmed: [
      'numbers of the plans of today: those here are of the smallest plan, 2022',
      'that cached answers do not count',
    ],
  },
  webhooks: [
    {
      signatureHeader: 'x-contentful-signature',
      timestampHeader: 'x-contentful-timestamp',
      signed: 'method, path, signed headers (named in `x-contentful-signed-headers`) and body, a line each',
      algorithm: 'hmac-sha256',
      encoding: 'hex',
      tolerance: '30s',
    },
  ],
});
