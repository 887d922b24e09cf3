import { fixedWindow } from '../../../core/src/index.js';
import { family, X_RATELIMIT } from '../fields.js';
import { profile } from '../profile.js';

const PER_WINDOW = 6;

export const INTERCOM = profile({
  name: 'intercom',
  title: 'Intercom',
  sources: [
    {
      url: 'https://developers.intercom.com/docs/references/rest-api/errors/rate-limiting',
      checked: '2026-11-30',
    },
  ],
  choices: {},
  numbers: {
    perMinute: { value: 10_000, what: 'calls a minute of the app; a sixth of it in each ten seconds' },
    workspacePerMinute: {
      value: 25_000,
      what: 'calls a minute of all apps of a workspace; a sixth of it in each ten seconds',
    },
  },
  contract: ({ perMinute, workspacePerMinute }) => ({
    http: { baseURL: 'https://api.intercom.io' },
    dimensions: ['workspace'],
    limits: [
      fixedWindow({ name: 'app', limit: Math.max(1, Math.floor(perMinute / PER_WINDOW)), per: '10s', countedBy: [] }),
      fixedWindow({
        name: 'workspace',
        limit: Math.max(1, Math.floor(workspacePerMinute / PER_WINDOW)),
        per: '10s',
      }),
    ],
    reading: {
      scopes: { 'app:10s': 'app' },
      windows: [
        {
          ...family(X_RATELIMIT, 'app:10s'),
          reset: { from: 'x-ratelimit-reset', as: 'epoch-seconds' },
          windowSeconds: 10,
        },
      ],
    },
  }),
  notes: {
    refused: ['429 with `{ "type": "error.list", "errors": [{ "code": "rate_limit_exceeded" }] }`'],
    told: [
      '`X-RateLimit-Limit` and `-Remaining`: calls in the window of ten seconds, not in the minute',
      '`X-RateLimit-Reset`: its end, in seconds since 1970; no `Retry-After`',
    ],
    resend: ['a 429 has not been done: safe to send again', 'there are no keys of idempotency'],
    traps: [
      'the windows of ten seconds bind, not the minute: 10,000 a minute are 1,666 in each',
      'the header tells of the app; that the whole workspace is at its limit shows only as a 429',
      'other apps of the same workspace use up its 25,000 too',
    ],
    unconfirmed: [
      'whether the 10,000 of a public app are for each workspace or for all together; the safe reading is taken',
      'the signature of webhooks',
    ],
  },
  webhooks: [
    {
      signatureHeader: 'x-hub-signature',
      signed: '`sha1=` + raw body, by the client secret',
      algorithm: 'hmac-sha1',
      encoding: 'hex',
      tolerance: null,
      unconfirmed: true,
    },
  ],
});
