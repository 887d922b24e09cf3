/** The second half of `providers.fixture.ts`. */
import { family, X } from './families.fixture.js';
import type { ReadingOptions, WindowOptions } from './options.js';

export const MORE_PROVIDERS: Readonly<Record<string, ReadingOptions>> = {
  sharepoint: { windows: [family('ratelimit', 'app-minute')] },
  twilio: { rules: [{ when: { status: 429, body: { code: 20429 } }, kind: 'concurrency', scope: 'account' }] },
  sendgrid: { windows: [family(X, 'endpoint')] },
  mailchimp: { rules: [{ when: { status: 429 }, kind: 'concurrency' }] },
  airtable: { rules: [{ when: { status: 429 }, kind: 'rate', scope: 'base', waitMs: 30_000 }] },
  asana: { rules: [{ when: { status: 429 }, scope: 'token' }] },
  linear: {
    windows: ['requests', 'complexity'].map((scope) => ({
      scope,
      unit: scope,
      limit: `x-ratelimit-${scope}-limit`,
      remaining: `x-ratelimit-${scope}-remaining`,
      reset: { from: `x-ratelimit-${scope}-reset`, as: 'epoch-milliseconds' },
    })),
    cost: 'x-complexity',
    rules: [{ when: { body: { 'errors[].extensions.code': 'RATELIMITED' } }, limited: true }],
  },
  gitlab: {
    windows: [
      {
        ...family('ratelimit', { from: 'ratelimit-name' }),
        reset: { from: 'ratelimit-reset', as: 'epoch-seconds' },
      },
    ],
    rules: [{ when: { status: 429, remaining: 'some' }, kind: 'rate', scope: 'application' }],
  },
  'amazon-sp-api': {
    windows: [{ scope: 'operation+account+app', perSecond: 'x-amzn-ratelimit-limit' }],
  },
  square: { rules: [{ when: { status: 429 }, kind: 'rate' }] },
  paypal: { rules: [{ when: { status: 429, body: { name: 'RATE_LIMIT_REACHED' } }, kind: 'rate' }] },
  twitch: {
    windows: [{ ...family('ratelimit', 'client+user'), reset: { from: 'ratelimit-reset', as: 'epoch-seconds' } }],
  },
  openai: {
    waits: [{ from: 'retry-after-ms', as: 'milliseconds' }, 'retry-after'],
    windows: ['requests', 'tokens'].map((scope) => ({
      scope,
      unit: scope,
      limit: `x-ratelimit-limit-${scope}`,
      remaining: `x-ratelimit-remaining-${scope}`,
      reset: `x-ratelimit-reset-${scope}`,
    })),
    rules: [
      {
        when: { status: 429, body: { 'error.code': 'insufficient_quota' } },
        retryable: false,
        kind: 'spend',
        scope: 'billing',
      },
      { when: { headers: { 'x-should-retry': false } }, retryable: false },
    ],
  },
  anthropic: {
    windows: ['requests', 'tokens', 'input-tokens', 'output-tokens'].map((scope) => ({
      ...family(`anthropic-ratelimit-${scope}`, scope),
      unit: scope,
    })),
    rules: [
      {
        when: { status: 429, body: { 'error.details.error_code': 'enforced_spend_limit_reached' } },
        retryable: false,
        kind: 'spend',
        scope: 'monthly-spend',
      },
    ],
  },
  intercom: { windows: [{ ...family(X, 'app:10s'), windowSeconds: 10 }] },
  monday: {
    waits: ['retry-after', { from: { body: 'errors[].extensions.retry_in_seconds' }, as: 'seconds' }],
    rules: [
      {
        when: { body: { 'errors[].extensions.code': 'COMPLEXITY_BUDGET_EXHAUSTED' } },
        limited: true,
        scope: 'complexity',
      },
    ],
  },
  okta: {
    windows: [family('x-rate-limit')],
    rules: [
      { when: { status: 429, headers: { 'x-rate-limit-limit': 0 } }, kind: 'concurrency', scope: 'org:concurrent' },
    ],
  },
  auth0: {
    windows: [
      family(X, 'tenant'),
      ...['per_hour', 'per_day'].map((bucket): WindowOptions => {
        const part = (name: string) => ({
          header: 'auth0-client-quota-limit',
          pattern: new RegExp(`b=${bucket}(?:;[^,]*)?;${name}=(\\d+)`),
        });
        return {
          scope: `client:${bucket}`,
          kind: 'quota',
          limit: part('q'),
          remaining: part('r'),
          reset: { from: part('t'), as: 'seconds' },
        };
      }),
    ],
    rules: [
      {
        when: { status: 500, body: { error_description: /^Global limit has been reached/ } },
        limited: true,
        kind: 'rate',
        scope: 'global',
      },
    ],
  },
  cloudflare: { windows: [family(X, 'user')], fields: [{ header: 'ratelimit', policy: 'ratelimit-policy' }] },
  reddit: { windows: [{ ...family(X, 'client'), reset: { from: 'x-ratelimit-reset', as: 'seconds' } }] },
  strava: {
    windows: (
      [
        ['overall', 'x-ratelimit'],
        ['read', 'x-readratelimit'],
      ] as const
    ).flatMap(([name, prefix]) =>
      (
        [
          ['15min', 900_000, 'rate'],
          ['day', 86_400_000, 'quota'],
        ] as const
      ).map(([length, alignedMs, kind], index) => ({
        scope: `${name}:${length}`,
        kind,
        limit: { header: `${prefix}-limit`, index },
        used: { header: `${prefix}-usage`, index },
        alignedMs,
      })),
    ),
  },
  dropbox: {
    rules: [
      {
        when: { status: 429, body: { error_summary: /^too_many_write_operations/ } },
        kind: 'lock',
        scope: 'namespace',
      },
    ],
  },
  box: { rules: [{ when: { status: 429 }, scope: 'user' }] },
  vimeo: { windows: [family(X, 'app+user')] },
  lemlist: { windows: [family(X, 'key')] },
  'mailerlite-classic': { waits: ['retry-after', 'x-ratelimit-retry-after'], windows: [family(X)] },
  prisjakt: {
    windows: [{ ...family('x-rate-limit'), reset: { from: 'x-rate-limit-reset', as: 'milliseconds' } }],
  },
  'oracle-access-governance': {
    waits: [{ from: 'requestlimit-default-retryafter', as: 'milliseconds' }],
    windows: [{ scope: 'default', remaining: 'requestlimit-default-remaining' }],
  },
  kong: {
    windows: [
      {
        scope: 'minute',
        windowSeconds: 60,
        limit: 'x-ratelimit-limit-minute',
        remaining: 'x-ratelimit-remaining-minute',
        reset: 'ratelimit-reset',
      },
      {
        scope: 'hour',
        windowSeconds: 3600,
        limit: 'x-ratelimit-limit-hour',
        remaining: 'x-ratelimit-remaining-hour',
      },
    ],
  },
};
