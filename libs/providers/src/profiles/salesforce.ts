import { concurrency, type ReadingOptions, slidingWindow } from '../../../core/src/index.js';
import { profile } from '../profile.js';

const EDITIONS = ['developer', 'professional', 'enterprise', 'unlimited', 'performance', 'full-sandbox'] as const;

const RULES: NonNullable<ReadingOptions['rules']> = [
  {
    when: { body: { '[].errorCode': 'REQUEST_LIMIT_EXCEEDED', '[].message': { matches: '^Concurrent' } } },
    limited: true,
    kind: 'concurrency',
    scope: 'org-concurrent-long-running',
  },
  { when: { body: { '[].errorCode': 'REQUEST_LIMIT_EXCEEDED' } }, limited: true, kind: 'quota', scope: 'org-24h' },
];

export const SALESFORCE = profile({
  name: 'salesforce',
  title: 'Salesforce',
  sources: [
    {
      url: 'https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/headers_api_usage.htm',
      checked: '2026-11-30',
    },
    {
      url: 'https://developer.salesforce.com/docs/platform/salesforce-app-limits-cheatsheet/guide/salesforce-app-limits-platform-api.html',
      checked: '2026-09-30',
    },
  ],
  choices: {
    edition: { values: EDITIONS, value: 'enterprise', what: 'edition of the org' },
  },
  numbers: {
    perDay: {
      value: {
        by: 'edition',
        of: {
          developer: 15_000,
          professional: 100_000,
          enterprise: 100_000,
          unlimited: 100_000,
          performance: 100_000,
          'full-sandbox': 5_000_000,
        },
      },
      what: 'calls in 24 hours and org, before licences: each adds 1,000 (Professional, Enterprise) or 5,000 (Unlimited, Performance)',
      unconfirmed: true,
    },
    concurrent: {
      value: {
        by: 'edition',
        of: { developer: 5, professional: 25, enterprise: 25, unlimited: 25, performance: 25, 'full-sandbox': 25 },
      },
      what: 'calls under way at once, of an org; Salesforce counts those of 20 seconds and more',
      unconfirmed: true,
      whole: true,
    },
  },
  contract: ({ perDay, concurrent }) => ({
    dimensions: ['org'],
    limits: [
      slidingWindow({ name: 'day', limit: perDay, per: '1d' }),
      // A call that we gave up on may still be at work there, and is one of the long ones.
      concurrency({ name: 'concurrent', limit: concurrent, worksAfterTimeout: '30s' }),
    ],
    reading: {
      scopes: { 'org-24h': 'day', 'org-concurrent-long-running': 'concurrent' },
      windows: [
        {
          scope: 'org-24h',
          used: { header: 'sforce-limit-info', pattern: '(?:^|; ?)api-usage=(\\d+)/' },
          limit: { header: 'sforce-limit-info', pattern: '(?:^|; ?)api-usage=\\d+/(\\d+)' },
        },
        {
          scope: { from: { header: 'sforce-limit-info', pattern: 'appName=([^)]+)' }, prefix: 'app:' },
          used: { header: 'sforce-limit-info', pattern: 'per-app-api-usage=(\\d+)/' },
          limit: { header: 'sforce-limit-info', pattern: 'per-app-api-usage=\\d+/(\\d+)' },
        },
      ],
      rules: RULES,
    },
  }),
  notes: {
    refused: [
      '403 with a list: `[{ "errorCode": "REQUEST_LIMIT_EXCEEDED", "message": "TotalRequests Limit exceeded." }]`',
      'the message begins with `Concurrent` where too many long calls are under way; any other 403 is a matter of rights',
    ],
    told: [
      '`Sforce-Limit-Info: api-usage=10018/100000; api-bursts=1/750`: calls used and allowed in the last 24 hours',
      'older versions add `per-app-api-usage=17/250(appName=x)`',
      'no `Retry-After` and no moment of a reset: the 24 hours roll',
    ],
    resend: [
      'a 403 for a limit has not been done: safe to send again',
      'there are no keys of idempotency; an upsert by external id (`PATCH`) may be repeated',
    ],
    traps: [
      'the address of the org comes with its token (`instance_url`): give it as `http.baseURL`, or in each request',
      'Salesforce counts only calls of 20 seconds and more as concurrent, which nobody knows beforehand: `concurrent` holds for all; raise it where yours are short',
      'the calls are shared by everything that uses the org: see `ourShare`',
      'SOAP answers 500 with the fault `sf:REQUEST_LIMIT_EXCEEDED`, which is not read',
    ],
    unconfirmed: [
      'the numbers of the editions, quoted from the cheat sheet on 2026-08-13',
      'what `api-bursts` counts, and over which time',
    ],
  },
});
