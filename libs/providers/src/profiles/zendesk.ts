import { slidingWindow } from '../../../core/src/index.js';
import { profile } from '../profile.js';

const PLANS = ['team', 'growth', 'professional', 'enterprise', 'high-volume'] as const;

/** `Zendesk-RateLimit-<endpoint>: total=10; remaining=9; resets=2`. */
const endpoint = (name: string) => {
  const header = `zendesk-ratelimit-${name}`;
  return {
    scope: name,
    limit: { header, pattern: 'total=(\\d+)' },
    remaining: { header, pattern: 'remaining=(\\d+)' },
    reset: { from: { header, pattern: 'resets=(\\d+)' }, as: 'seconds' },
  } as const;
};

export const ZENDESK = profile({
  name: 'zendesk',
  title: 'Zendesk',
  sources: [
    { url: 'https://developer.zendesk.com/api-reference/introduction/rate-limits', checked: '2026-11-30' },
    {
      url: 'https://developer.zendesk.com/api-reference/ticketing/ticket-management/incremental_exports/',
      checked: '2026-11-30',
    },
    { url: 'https://developer.zendesk.com/api-reference/ticketing/introduction/#idempotency', checked: '2026-09-30' },
    { url: 'https://developer.zendesk.com/documentation/webhooks/verifying', checked: '2026-09-30' },
  ],
  choices: {
    plan: {
      values: PLANS,
      value: 'professional',
      what: 'plan of the account; `high-volume` is the add-on, which Enterprise Plus has',
    },
  },
  numbers: {
    perMinute: {
      value: {
        by: 'plan',
        of: { team: 200, growth: 400, professional: 400, enterprise: 700, 'high-volume': 2_500 },
      },
      what: 'calls a minute and account',
    },
    exportsPerMinute: {
      value: { by: 'plan', of: { team: 10, growth: 10, professional: 10, enterprise: 10, 'high-volume': 30 } },
      what: 'incremental exports a minute and account',
    },
    cursorExportsPerMinute: {
      value: { by: 'plan', of: { team: 10, growth: 10, professional: 10, enterprise: 10, 'high-volume': 30 } },
      what: 'incremental exports by cursor a minute and account',
    },
    updatesPerMinute: {
      value: { by: 'plan', of: { team: 100, growth: 100, professional: 100, enterprise: 100, 'high-volume': 300 } },
      what: 'updates of tickets a minute and account',
      unconfirmed: true,
    },
  },
  contract: ({ perMinute, exportsPerMinute, cursorExportsPerMinute, updatesPerMinute }) => ({
    dimensions: ['account'],
    routes: {
      'create-ticket': 'POST /api/v2/tickets',
      'create-ticket-json': 'POST /api/v2/tickets.json',
      'update-ticket': 'PUT /api/v2/tickets/:ticket',
      'cursor-export': 'GET /api/v2/incremental/:what/cursor',
      'cursor-export-json': 'GET /api/v2/incremental/:what/cursor.json',
      export: 'GET /api/v2/incremental/*what',
    },
    limits: [
      slidingWindow({ name: 'minute', limit: perMinute, per: '1m' }),
      slidingWindow({ name: 'export', limit: exportsPerMinute, per: '1m', routes: ['export'] }),
      slidingWindow({
        name: 'cursor-export',
        limit: cursorExportsPerMinute,
        per: '1m',
        routes: ['cursor-export', 'cursor-export-json'],
      }),
      slidingWindow({ name: 'update', limit: updatesPerMinute, per: '1m', routes: ['update-ticket'] }),
    ],
    reading: {
      scopes: {
        account: 'minute',
        'incremental-exports': 'export',
        'incremental-exports-cursor': 'cursor-export',
      },
      windows: [
        {
          scope: 'account',
          limit: 'x-rate-limit',
          remaining: 'x-rate-limit-remaining',
          reset: { from: 'ratelimit-reset', as: 'seconds' },
        },
        endpoint('incremental-exports'),
        endpoint('incremental-exports-cursor'),
      ],
      rules: [
        // Limits of endpoints that no header told of: it is not the account that is at its limit.
        { when: { status: 429, remaining: 'some' }, kind: 'rate', scope: 'endpoint' },
      ],
    },
    idempotency: { header: 'Idempotency-Key', retention: '2h', accepts: ['create-ticket', 'create-ticket-json'] },
  }),
  notes: {
    refused: ['429, with `X-Rate-Limit-Remaining` above 0 where an endpoint is at a limit of its own'],
    told: [
      '`X-Rate-Limit` and `X-Rate-Limit-Remaining`: calls of the account in the current minute',
      '`ratelimit-limit`, `-remaining` and `-reset` (seconds from now) tell the same for tickets and users',
      '`Zendesk-RateLimit-<endpoint>: total=10; remaining=9; resets=2`: calls of an endpoint, seconds from now',
      '`Retry-After` in seconds',
    ],
    idempotency: [
      '`Idempotency-Key` of at most 255 characters where a ticket is created, kept for 2 hours, of the account',
      'the answer says `x-idempotency-lookup: miss` or `hit`; the same key with another body: 400 `IdempotentRequestError`',
    ],
    resend: ['a 429 has not been done: safe to send again', 'a ticket is created once for each key'],
    traps: [
      'the address is of the account: give `http.baseURL`, `https://<subdomain>.zendesk.com`',
      'Help Center has the same numbers and counts apart: make it a second contract, under another name',
      'a ticket takes 30 updates in 10 minutes of one user, lists take 50 calls a minute beyond page 500: not in the contract',
    ],
    unconfirmed: [
      'the number of updates, quoted from the page on 2026-09-20',
      'exports by cursor: copies tell 10 and 20 a minute (60 with the add-on); their header tells the truth',
      'that keys are kept for 2 hours',
    ],
  },
  webhooks: [
    {
      signatureHeader: 'x-zendesk-webhook-signature',
      timestampHeader: 'x-zendesk-webhook-signature-timestamp',
      signed: 'timestamp (text, as received) + body',
      algorithm: 'hmac-sha256',
      encoding: 'base64',
      tolerance: null,
    },
  ],
});
