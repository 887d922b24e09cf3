/** Test data: how other providers speak, written as contracts write it. Proves that the vocabulary is enough. */
import { family, X } from './families.fixture.js';
import { MORE_PROVIDERS } from './more-providers.fixture.js';
import type { ReadingOptions } from './options.js';

export const PROVIDERS: Readonly<Record<string, ReadingOptions>> = {
  github: {
    windows: [family(X, { from: 'x-ratelimit-resource' })],
    cost: { body: 'data.rateLimit.cost' },
    rules: [
      ...['message', 'errors[].message'].map((path) => ({
        when: { body: { [path]: /secondary rate limit/i } },
        limited: true,
        kind: 'secondary',
        scope: 'secondary',
        waitMs: 60_000,
      })),
      { when: { status: 403, hinted: true }, limited: true, kind: 'secondary', scope: 'secondary' },
      { when: { body: { 'errors[].type': 'RATE_LIMITED' } }, limited: true, kind: 'rate' },
    ],
  },
  shopify: {
    windows: [
      {
        scope: 'app+store',
        used: { header: 'x-shopify-shop-api-call-limit', pattern: /^(\d+)\// },
        limit: { header: 'x-shopify-shop-api-call-limit', pattern: /\/(\d+)$/ },
        perSecond: 2,
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
    rules: [{ when: { body: { 'errors[].extensions.code': 'THROTTLED' } }, limited: true, kind: 'rate' }],
  },
  stripe: {
    rules: [
      {
        when: { headers: { 'stripe-rate-limited-reason': /concurrency$/ } },
        kind: 'concurrency',
        scope: { from: 'stripe-rate-limited-reason' },
      },
      {
        when: { headers: { 'stripe-rate-limited-reason': { present: true } } },
        kind: 'rate',
        scope: { from: 'stripe-rate-limited-reason' },
      },
      {
        when: { body: { 'error.code': 'lock_timeout' } },
        limited: false,
        retryable: true,
        kind: 'lock',
        scope: 'object',
      },
    ],
  },
  hubspot: {
    windows: [
      {
        scope: 'daily',
        limit: 'x-hubspot-ratelimit-daily',
        remaining: 'x-hubspot-ratelimit-daily-remaining',
        kind: 'quota',
      },
      {
        scope: 'ten-secondly',
        limit: 'x-hubspot-ratelimit-max',
        remaining: 'x-hubspot-ratelimit-remaining',
        windowSeconds: 10,
      },
    ],
    rules: [
      {
        when: { status: 429, headers: { 'x-hubspot-ratelimit-max': { present: false } } },
        kind: 'rate',
        scope: 'search',
        waitMs: 1000,
      },
      { when: { status: 477 }, retryable: true, kind: 'overload' },
    ],
  },
  salesforce: {
    windows: [
      {
        scope: 'org-24h',
        used: { header: 'sforce-limit-info', pattern: /(?:^|; ?)api-usage=(\d+)\// },
        limit: { header: 'sforce-limit-info', pattern: /(?:^|; ?)api-usage=\d+\/(\d+)/ },
      },
      {
        scope: { from: { header: 'sforce-limit-info', pattern: /appName=([^)]+)/ }, prefix: 'app:' },
        used: { header: 'sforce-limit-info', pattern: /per-app-api-usage=(\d+)\// },
        limit: { header: 'sforce-limit-info', pattern: /per-app-api-usage=\d+\/(\d+)/ },
      },
    ],
    rules: [
      {
        when: { body: { '[].errorCode': 'REQUEST_LIMIT_EXCEEDED', '[].message': /^Concurrent/ } },
        limited: true,
        kind: 'concurrency',
        scope: 'org-concurrent-long-running',
      },
      { when: { body: { '[].errorCode': 'REQUEST_LIMIT_EXCEEDED' } }, limited: true, kind: 'quota', scope: 'org-24h' },
    ],
  },
  slack: {
    rules: [
      { when: { body: { ok: false, error: 'ratelimited' } }, limited: true, kind: 'rate', scope: 'method+workspace' },
      { when: { status: 429 }, kind: 'rate', scope: 'method+workspace' },
    ],
  },
  discord: {
    waits: ['retry-after', { from: { body: 'retry_after' }, as: 'seconds' }],
    pickWait: 'longest',
    windows: [
      { ...family(X, { from: 'x-ratelimit-bucket', prefix: 'bucket:' }), resetAfter: 'x-ratelimit-reset-after' },
    ],
    rules: [
      { when: { headers: { 'x-ratelimit-scope': 'global' } }, scope: 'global' },
      {
        when: { headers: { 'x-ratelimit-scope': 'shared' } },
        scope: { from: 'x-ratelimit-bucket', prefix: 'shared:' },
      },
    ],
  },
  notion: { rules: [{ when: { status: 429 }, scope: 'connection' }] },
  xero: {
    windows: [
      { scope: 'tenant:minute', remaining: 'x-minlimit-remaining' },
      { scope: 'tenant:day', remaining: 'x-daylimit-remaining', kind: 'quota' },
      { scope: 'app:minute', remaining: 'x-appminlimit-remaining' },
    ],
    rules: [
      { when: { headers: { 'x-rate-limit-problem': /day/i } }, kind: 'quota', scope: 'tenant:day' },
      { when: { headers: { 'x-rate-limit-problem': /concurr/i } }, kind: 'concurrency', scope: 'tenant:concurrent' },
      { when: { headers: { 'x-rate-limit-problem': /app/i } }, kind: 'rate', scope: 'app:minute' },
      { when: { headers: { 'x-rate-limit-problem': /min/i } }, kind: 'rate', scope: 'tenant:minute' },
    ],
  },
  quickbooks: { rules: [{ when: { status: 429 }, kind: 'rate', scope: 'realm', waitMs: 60_000 }] },
  zendesk: {
    windows: [
      { scope: 'account', limit: 'x-rate-limit', remaining: 'x-rate-limit-remaining' },
      { scope: 'account', limit: 'x-rate-limit', remaining: 'ratelimit-remaining', reset: 'ratelimit-reset' },
      {
        scope: 'incremental-exports',
        limit: { header: 'zendesk-ratelimit-incremental-exports', pattern: /total=(\d+)/ },
        remaining: { header: 'zendesk-ratelimit-incremental-exports', pattern: /remaining=(\d+)/ },
        reset: { from: { header: 'zendesk-ratelimit-incremental-exports', pattern: /resets=(\d+)/ }, as: 'seconds' },
      },
    ],
  },
  jira: {
    waits: ['retry-after', 'beta-retry-after'],
    windows: [family(X)],
    fields: [
      { header: 'ratelimit', policy: 'ratelimit-policy' },
      { header: 'beta-ratelimit', policy: 'beta-ratelimit-policy' },
    ],
    nearLimit: { from: 'x-ratelimit-nearlimit', is: true },
    rules: [
      {
        when: { status: 429, headers: { 'ratelimit-reason': 'jira-burst-based' } },
        kind: 'rate',
        scope: 'burst:endpoint+method',
      },
      {
        when: { status: 429, headers: { 'ratelimit-reason': 'jira-quota-global-based' } },
        kind: 'quota',
        scope: 'quota:global',
      },
      {
        when: { status: 429, headers: { 'ratelimit-reason': 'jira-quota-tenant-based' } },
        kind: 'quota',
        scope: 'quota:tenant',
      },
      {
        when: { status: 429, headers: { 'ratelimit-reason': 'jira-per-issue-on-write' } },
        kind: 'rate',
        scope: 'issue',
      },
    ],
  },
  google: {
    waits: [
      'retry-after',
      { body: 'error.details[].retryDelay' },
      { body: 'error.message', pattern: /retry after (\S+)/i },
    ],
    rules: [
      {
        when: { body: { 'error.errors[].reason': 'userRateLimitExceeded' } },
        limited: true,
        kind: 'rate',
        scope: 'user',
      },
      {
        when: { body: { 'error.errors[].reason': 'rateLimitExceeded' } },
        limited: true,
        kind: 'rate',
        scope: { from: { body: 'error.errors[].reason' } },
      },
      {
        when: { body: { 'error.errors[].reason': /^(?:quota|dailyLimit)Exceeded$/ } },
        limited: true,
        kind: 'quota',
        scope: { from: { body: 'error.errors[].reason' } },
      },
    ],
  },
  msgraph: {
    batch: { list: 'responses[]', id: 'id', status: 'status', headers: 'headers', body: 'body' },
    rules: [
      {
        when: { status: 429 },
        kind: 'rate',
        scope: { from: { header: 'x-ms-throttle-scope', pattern: /^([^/]+\/[^/]+)/ } },
      },
    ],
  },
  ...MORE_PROVIDERS,
};
