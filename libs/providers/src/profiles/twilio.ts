import { concurrency } from '../../../core/src/index.js';
import { profile } from '../profile.js';

export const TWILIO = profile({
  name: 'twilio',
  title: 'Twilio',
  sources: [
    { url: 'https://www.twilio.com/docs/api/errors/20429', checked: '2026-11-30' },
    { url: 'https://www.twilio.com/docs/api/errors/60203', checked: '2026-11-30' },
    { url: 'https://www.twilio.com/docs/api/errors/60212', checked: '2026-11-30' },
    { url: 'https://www.twilio.com/docs/usage/rest-api-best-practices', checked: '2026-11-30' },
    { url: 'https://www.twilio.com/docs/usage/webhooks/webhooks-security', checked: '2026-11-30' },
  ],
  choices: {},
  numbers: {
    concurrent: { value: 100, what: 'calls under way at once, of an account', unconfirmed: true, whole: true },
  },
  contract: ({ concurrent }) => ({
    http: { baseURL: 'https://api.twilio.com' },
    dimensions: ['account'],
    limits: [concurrency({ name: 'concurrent', limit: concurrent })],
    pause: { initial: '1s' },
    reading: {
      scopes: { account: 'concurrent' },
      rules: [
        { when: { status: 429, body: { code: 20429 } }, kind: 'concurrency', scope: 'account' },
        // Attempts of one verification are used up: no wait within its ten minutes helps, and nobody else is concerned.
        {
          when: { status: 429, body: { code: { matches: '^60(?:202|203|308|310)$' } } },
          means: 'rejected',
          kind: 'quota',
          scope: 'verification',
        },
        {
          when: { status: 429, body: { code: 60212 } },
          limited: false,
          retryable: true,
          kind: 'lock',
          scope: 'phone-number',
        },
      ],
    },
  }),
  notes: {
    refused: [
      '429 with `code` = `20429`: too many calls at once',
      '429 with `60202` or `60203`: the five checks or sends of a verification are used up for its 10 minutes; `60308` and `60310`: those of a challenge or factor',
      '429 with `60212`: several verifications at once for one phone number',
    ],
    told: [
      '`Twilio-Concurrent-Requests`: calls under way as Twilio counts; `Twilio-Request-Duration` in seconds',
      'No limit, nothing left, no `Retry-After`',
    ],
    resend: [
      'A 429 is never processed: safe to send again, writes too',
      'Never the attempts of a verification: they are told to the caller at once',
    ],
    traps: [
      'The number of calls at once is agreed for each account and not published',
      'Messages and calls beyond the rate of their sender are queued at Twilio, not refused',
      'Flex has limits of endpoints: 20 a second for Interactions, 5 for Webchat',
      'Signature of webhooks: the address as Twilio called it; for JSON the query parameter `bodySHA256` is checked as well. Rules of the account may sign with HMAC-SHA256 and another key',
    ],
    unconfirmed: ['100 calls at once: a figure of third parties for accounts without an agreement'],
  },
  webhooks: [
    {
      signatureHeader: 'x-twilio-signature',
      signed: 'URL + form parameters sorted by name, name and value joined',
      algorithm: 'hmac-sha1',
      encoding: 'base64',
      tolerance: null,
    },
  ],
});
