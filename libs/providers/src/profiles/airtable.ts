import { quota, slidingWindow } from '../../../core/src/index.js';
import type { Rules } from '../fields.js';
import { profile } from '../profile.js';

const RULES: Rules = [
  ...['errors[].error', 'error.type', 'error'].map((path) => ({
    when: { status: 429, body: { [path]: 'PUBLIC_API_BILLING_LIMIT_EXCEEDED' } },
    retryable: false,
    kind: 'quota',
    scope: 'month',
  })),
  { when: { status: 429 }, kind: 'rate', scope: 'base', waitMs: 30_000 },
];

export const AIRTABLE = profile({
  name: 'airtable',
  title: 'Airtable',
  sources: [
    { url: 'https://support.airtable.com/docs/managing-api-call-limits-in-airtable', checked: '2026-11-30' },
    { url: 'https://airtable.com/developers/web/api/rate-limits', checked: '2026-09-30' },
    { url: 'https://github.com/gtalarico/pyairtable/blob/main/pyairtable/models/webhook.py', checked: '2026-11-30' },
  ],
  choices: {
    plan: {
      values: ['free', 'team', 'business'],
      value: 'business',
      what: 'plan of the workspace: `business` is Business or Enterprise, without a limit a month',
    },
  },
  numbers: {
    perSecond: { value: 5, what: 'calls a second and base' },
    userPerSecond: { value: 50, what: 'calls a second with the personal access tokens of one user or service account' },
    perMonth: {
      value: { by: 'plan', of: { free: 1_000, team: 100_000, business: 100_000 } },
      what: 'calls a month and workspace, over all that use it',
      only: { by: 'plan', in: ['free', 'team'] },
      unconfirmed: true,
    },
  },
  contract: ({ plan, perSecond, userPerSecond, perMonth }) => {
    const billed = plan !== 'business';
    return {
      http: { baseURL: 'https://api.airtable.com/v0' },
      dimensions: ['base', 'user', ...(billed ? ['workspace'] : [])],
      limits: [
        slidingWindow({ name: 'base', limit: perSecond, per: '1s', countedBy: ['base'] }),
        slidingWindow({ name: 'user', limit: userPerSecond, per: '1s', countedBy: ['user'] }),
        // Nothing tells what is left of the month; with a store it is kept, without one a restart counts anew.
        ...(billed
          ? [quota({ name: 'month', limit: perMonth, per: 'month', countedBy: ['workspace'], volatile: true })]
          : []),
      ],
      pause: { initial: '30s' },
      reading: { scopes: { base: 'base', ...(billed ? { month: 'month' } : {}) }, rules: RULES },
    };
  },
  notes: {
    refused: [
      '429; then nothing is let through for 30 seconds',
      '429 with `PUBLIC_API_BILLING_LIMIT_EXCEEDED`: the calls of the month are spent',
    ],
    told: ['nothing: neither figures nor `Retry-After`'],
    cost: ['10 records at most are written by one call: it counts as one'],
    resend: [
      'a 429 has not been done; within its 30 seconds a repeat is refused too',
      'spent calls of the month: not again before the next month or a larger plan',
    ],
    traps: [
      'an upsert by a field (`performUpsert`) makes a repeated write harmless',
      'what else uses the base (automations, other integrations) counts too: give `ourShare`',
      'the day on which a month begins is that of the plan, not always the first',
    ],
    unconfirmed: [
      'calls a month, as others quote the page; whether calls beyond them are slowed to 2 a second, as it said, or refused, as users report in 2026',
    ],
  },
  webhooks: [
    {
      signatureHeader: 'x-airtable-content-mac',
      signed: 'raw body; the header has `hmac-sha256=` before it, the key is `macSecretBase64` decoded',
      algorithm: 'hmac-sha256',
      encoding: 'hex',
      tolerance: null,
    },
  ],
});
