import { concurrency } from '../../../core/src/index.js';
import { profile } from '../profile.js';

export const MAILCHIMP = profile({
  name: 'mailchimp',
  title: 'Mailchimp Marketing',
  sources: [
    { url: 'https://mailchimp.com/developer/marketing/docs/fundamentals/', checked: '2026-09-30' },
    { url: 'https://mailchimp.com/developer/marketing/docs/errors/', checked: '2026-09-30' },
    {
      url: 'https://raw.githubusercontent.com/api-evangelist/mailchimp/refs/heads/main/rate-limits/mailchimp-rate-limits.yml',
      checked: '2026-11-30',
    },
    { url: 'https://github.com/DynamoMTL/spree_chimpy/issues/91', checked: '2026-11-30' },
  ],
  choices: {
    dataCenter: { value: 'us1', what: 'what follows the hyphen of the API key: us6' },
  },
  numbers: {
    concurrent: { value: 10, what: 'connections at once of a user, over all apps', unconfirmed: true, whole: true },
  },
  contract: ({ dataCenter, concurrent }) => ({
    http: { baseURL: `https://${dataCenter}.api.mailchimp.com/3.0` },
    dimensions: ['account'],
    // A call that we gave up goes on there, for as long as Mailchimp works at one: 120 seconds.
    limits: [concurrency({ name: 'concurrent', limit: concurrent, worksAfterTimeout: '120s' })],
    safe: ['GET *', 'HEAD *', 'OPTIONS *', 'PUT *'],
    pause: { initial: '5s' },
    reading: {
      rules: [
        { when: { status: 429 }, kind: 'concurrency' },
        { when: { status: 403, body: { status: { present: false } } }, limited: true, kind: 'secondary' },
      ],
    },
  }),
  notes: {
    refused: [
      '429 `TooManyRequests`: more than 10 connections at once',
      'Under very heavy load, and for addresses of bad reputation, a bare 403 in HTML from the gateway (Akamai)',
      'A 403 in JSON is about permissions and never a limit',
    ],
    told: ['Neither figures nor `Retry-After`'],
    resend: [
      'A 429 has not run: safe to send again',
      'PUT on a member adds or changes it and may be repeated; POST may not',
    ],
    traps: [
      'What timed out may count as open for a while: the permit is kept for 120 seconds',
      'A bare 403 of the gateway may last until the address is cleared',
      '`dataCenter` must be that of the key; where each account has its own, give its address with each call',
      'Webhooks are not signed',
    ],
    unconfirmed: [
      'The 10 connections: the pages themselves were not seen, only quotations of 2026-08-13 and of Google Cloud',
      'The 120 seconds after which Mailchimp cuts a call off',
    ],
  },
});
