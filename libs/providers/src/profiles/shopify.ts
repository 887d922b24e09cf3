import { tokenBucket } from '../../../core/src/index.js';
import { profile } from '../profile.js';

function isMutation(body: unknown): boolean {
  return /^\s*mutation\b/.test(String((body as { readonly query?: unknown } | null | undefined)?.query ?? ''));
}

interface GraphqlAnswer {
  readonly extensions?: { readonly cost?: { readonly actualQueryCost?: unknown } | null } | null;
}

/** Long answers tell their cost at the end, where the reading of every answer does not look. */
function pointsOf(body: unknown): { readonly points: number } | undefined {
  const cost = (body as GraphqlAnswer | null | undefined)?.extensions?.cost?.actualQueryCost;
  return typeof cost === 'number' ? { points: cost } : undefined;
}

export const SHOPIFY = profile({
  name: 'shopify',
  title: 'Shopify Admin API',
  sources: [
    { url: 'https://shopify.dev/docs/apps/build/apis/graphql-admin/rate-limits', checked: '2026-11-30' },
    { url: 'https://shopify.dev/docs/api/admin-rest/usage/rate-limits', checked: '2026-11-30' },
    { url: 'https://shopify.dev/docs/api/usage/response-codes', checked: '2026-11-30' },
    { url: 'https://shopify.dev/docs/api/usage/idempotent-requests', checked: '2026-11-30' },
    { url: 'https://shopify.dev/docs/apps/build/webhooks/subscribe/https', checked: '2026-09-30' },
  ],
  choices: {
    api: { values: ['graphql', 'rest'], value: 'graphql', what: 'which Admin API this client calls' },
    plan: {
      values: ['standard', 'advanced', 'plus', 'enterprise'],
      value: 'standard',
      what: 'plan of the stores; enterprise = Commerce Components',
    },
  },
  numbers: {
    pointsPerSecond: {
      value: { by: 'plan', of: { standard: 100, advanced: 200, plus: 1_000, enterprise: 2_000 } },
      what: 'points of calculated query cost that come back a second, for app and store',
      only: { by: 'api', in: ['graphql'] },
    },
    pointsBurst: {
      value: { by: 'plan', of: { standard: 2_000, advanced: 4_000, plus: 20_000, enterprise: 40_000 } },
      what: 'points in the full bucket of app and store',
      only: { by: 'api', in: ['graphql'] },
      unconfirmed: true,
    },
    mutationPoints: {
      value: 10,
      what: 'points of a GraphQL mutation',
      only: { by: 'api', in: ['graphql'] },
    },
    queryPoints: {
      value: 10,
      what: 'points that a GraphQL query is charged until its answer tells what it cost: a guess of ours',
      only: { by: 'api', in: ['graphql'] },
      unconfirmed: true,
    },
    restPerSecond: {
      value: { by: 'plan', of: { standard: 2, advanced: 4, plus: 20, enterprise: 40 } },
      what: 'REST calls that leak from the bucket a second, for app and store',
    },
    restBurst: {
      value: { by: 'plan', of: { standard: 40, advanced: 80, plus: 400, enterprise: 800 } },
      what: 'REST calls that the bucket of app and store holds',
      only: { by: 'api', in: ['rest'] },
      unconfirmed: true,
    },
  },
  contract: ({ api, pointsPerSecond, pointsBurst, mutationPoints, queryPoints, restPerSecond, restBurst }) => ({
    dimensions: ['shop'],
    ...(api === 'rest'
      ? { limits: [tokenBucket({ name: 'calls', burst: restBurst, limit: restPerSecond, per: '1s' })] }
      : {
          limits: [
            tokenBucket({ name: 'points', unit: 'points', burst: pointsBurst, limit: pointsPerSecond, per: '1s' }),
          ],
          units: ({ body }) => ({ points: isMutation(body) ? mutationPoints : queryPoints }),
          settleUnits: ({ body }) => pointsOf(body),
          graphql: true,
        }),
    pause: { initial: '1s' },
    reading: {
      windows: [
        {
          scope: 'app+store',
          used: { header: 'x-shopify-shop-api-call-limit', pattern: '^(\\d+)/' },
          limit: { header: 'x-shopify-shop-api-call-limit', pattern: '/(\\d+)$' },
          perSecond: restPerSecond,
        },
        {
          scope: 'app+store',
          unit: 'points',
          remaining: { body: 'extensions.cost.throttleStatus.currentlyAvailable' },
          limit: { body: 'extensions.cost.throttleStatus.maximumAvailable' },
          perSecond: { body: 'extensions.cost.throttleStatus.restoreRate' },
        },
      ],
      cost: [{ body: 'extensions.cost.actualQueryCost' }, { body: 'extensions.cost.requestedQueryCost' }],
      rules: [
        {
          when: { body: { 'errors[].extensions.code': 'THROTTLED' } },
          limited: true,
          kind: 'rate',
          scope: 'app+store',
          waitMs: 1000,
        },
        { when: { body: { 'errors[].extensions.code': 'MAX_COST_EXCEEDED' } }, means: 'rejected', kind: 'cost' },
        { when: { status: 200, body: { 'errors[].extensions.code': 'INTERNAL_SERVER_ERROR' } }, means: 'failed' },
      ],
    },
  }),
  notes: {
    refused: [
      'GraphQL: 200 with `errors[].extensions.code` = `THROTTLED`',
      'REST: 429 with `Retry-After`',
      'A single query of more than 1,000 points is refused before it runs, on every plan: `MAX_COST_EXCEEDED`',
      '423 = the store is locked, 430 = refused as a threat: neither is a limit that time repairs',
    ],
    told: [
      'GraphQL: `extensions.cost.throttleStatus` with `maximumAvailable`, `currentlyAvailable` and `restoreRate` (points a second)',
      'REST: `X-Shopify-Shop-Api-Call-Limit: 32/40` = used and size of the bucket; no moment of a reset',
      '`Retry-After` in seconds with a decimal: `2.0`',
    ],
    cost: [
      'Points: scalars and enums 0, objects 1, connections by `first` and `last`, mutations 10',
      'Shopify takes `requestedQueryCost` before it runs a query and gives back what is above `actualQueryCost`',
      'A query is charged `queryPoints` before, a mutation `mutationPoints`, or what the call itself says, and `actualQueryCost` after',
    ],
    resend: [
      'What was throttled did not run: safe to send again',
      'GraphQL queries are safe to send again, mutations are not',
    ],
    traps: [
      'Every pair of app and store has a bucket of its own: the dimension is the store',
      'Idempotency is a directive in the document, `@idempotent(key:)`, from 2026-04 on demanded by refunds and inventory changes; for some REST writes the field `unique_token` within an object: the caller sets both',
      'Stores with 500,000 variants or more, but for Plus, may create 10,000 variants a day; more are refused with 429',
      'Bulk operations have no cost limit; the Storefront API limits bots only',
      'There is no `baseURL`: it is that of the store',
    ],
    unconfirmed: [
      '`pointsBurst` is 20 seconds of the rate, as recorded answers of standard and Plus stores show; Shopify does not print it',
      '`restBurst` is printed for standard only (40); the others are 20 seconds of the rate as well',
      'Whether a throttled query takes points',
    ],
  },
  webhooks: [
    {
      signatureHeader: 'x-shopify-hmac-sha256',
      signed: 'raw body',
      algorithm: 'hmac-sha256',
      encoding: 'base64',
      tolerance: null,
    },
  ],
});
