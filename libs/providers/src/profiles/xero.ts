import { concurrency, slidingWindow } from '../../../core/src/index.js';
import { profile } from '../profile.js';

export const XERO = profile({
  name: 'xero',
  title: 'Xero',
  sources: [
    { url: 'https://developer.xero.com/faq/limits', checked: '2026-11-30' },
    { url: 'https://developer.xero.com/documentation/guides/oauth2/limits', checked: '2026-09-30' },
    { url: 'https://developer.xero.com/documentation/guides/idempotent-requests/idempotency', checked: '2026-09-30' },
    { url: 'https://developer.xero.com/documentation/guides/webhooks/overview', checked: '2026-09-30' },
  ],
  choices: {
    tier: { values: ['starter', 'standard'], value: 'standard', what: 'tier of the app' },
  },
  numbers: {
    perMinute: { value: 60, what: 'calls a minute and tenant' },
    perDay: {
      value: { by: 'tier', of: { starter: 1_000, standard: 5_000 } },
      what: 'calls a day and tenant',
      unconfirmed: true,
    },
    concurrent: { value: 5, what: 'calls under way at once, of a tenant', whole: true },
    appPerMinute: { value: 10_000, what: 'calls a minute of the app, over all tenants' },
  },
  contract: ({ perMinute, perDay, concurrent, appPerMinute }) => ({
    http: { baseURL: 'https://api.xero.com/api.xro/2.0' },
    dimensions: ['tenant'],
    limits: [
      slidingWindow({ name: 'minute', limit: perMinute, per: '1m' }),
      // Xero's day begins at an hour of its own for each tenant.
      slidingWindow({ name: 'day', limit: perDay, per: '1d' }),
      concurrency({ name: 'concurrent', limit: concurrent }),
      slidingWindow({ name: 'app-minute', limit: appPerMinute, per: '1m', countedBy: [] }),
    ],
    reading: {
      scopes: {
        'tenant:minute': 'minute',
        'tenant:day': 'day',
        'tenant:concurrent': 'concurrent',
        'app:minute': 'app-minute',
      },
      windows: [
        { scope: 'tenant:minute', remaining: 'x-minlimit-remaining' },
        { scope: 'tenant:day', remaining: 'x-daylimit-remaining', kind: 'quota' },
        { scope: 'app:minute', remaining: 'x-appminlimit-remaining' },
      ],
      rules: [
        {
          when: { headers: { 'x-rate-limit-problem': { matches: 'da(?:y|ily)' } } },
          kind: 'quota',
          scope: 'tenant:day',
        },
        {
          when: { headers: { 'x-rate-limit-problem': { matches: 'concurr' } } },
          kind: 'concurrency',
          scope: 'tenant:concurrent',
        },
        { when: { headers: { 'x-rate-limit-problem': { matches: 'app' } } }, kind: 'rate', scope: 'app:minute' },
        { when: { headers: { 'x-rate-limit-problem': { matches: 'min' } } }, kind: 'rate', scope: 'tenant:minute' },
      ],
    },
    idempotency: { header: 'Idempotency-Key', retention: '6m', methods: ['POST', 'PUT'] },
  }),
  notes: {
    refused: [
      '429; `X-Rate-Limit-Problem` names the limit: minute, day, concurrent or app minute, in several spellings (`day`, `Daily`, `DayLimit`)',
    ],
    told: [
      '`X-MinLimit-Remaining`, `X-DayLimit-Remaining`, `X-AppMinLimit-Remaining`: calls left',
      '`Retry-After` in seconds for minute and day, none for concurrent',
    ],
    idempotency: [
      '`Idempotency-Key` of at most 128 characters on POST and PUT, kept for 6 minutes; errors are kept too',
      'the same key with another address, body or method: 400',
    ],
    resend: ['a 429 has not been done: safe to send again', 'replayed calls of a key count against the limits'],
    traps: [
      "the day begins at an hour of each tenant's own, which is told by no header but `Retry-After` of a refusal",
    ],
    unconfirmed: [
      'the 1,000 calls a day of the starter tier: quoted from the page of limits on 2026-11-26, while the questions and answers of Xero speak of 5,000 only',
      'that keys live for 6 minutes, that errors are kept and that another request with the same key is answered 400: quoted by others',
      'the signature of webhooks',
    ],
  },
  webhooks: [
    {
      signatureHeader: 'x-xero-signature',
      signed: 'raw body',
      algorithm: 'hmac-sha256',
      encoding: 'base64',
      tolerance: null,
      unconfirmed: true,
    },
  ],
});
