import { slidingWindow } from '../../../core/src/index.js';
import { profile } from '../profile.js';

const LIMITS = 'https://developer.intuit.com/app/developer/qbo/docs/learn/limits-and-throttles';

export const QUICKBOOKS = profile({
  name: 'quickbooks',
  title: 'QuickBooks Online',
  sources: [
    { url: LIMITS, checked: '2026-11-30' },
    { url: 'https://blogs.intuit.com/2015/04/06/15346/', checked: '2026-11-30' },
    {
      url: 'https://developer.intuit.com/app/developer/qbo/docs/develop/webhooks/managing-webhooks-notifications',
      checked: '2026-11-30',
    },
    { url: 'https://github.com/intuit/QuickBooks-V3-PHP-SDK/issues/54', checked: '2026-11-30' },
  ],
  choices: {
    environment: { values: ['production', 'sandbox'], value: 'production', what: 'which servers are called' },
  },
  numbers: {
    perMinute: { value: 500, what: 'calls a minute and company (realm), over all apps' },
    perSecond: { value: 10, what: 'calls a second, company (realm) and app' },
    batchesPerMinute: { value: 40, what: 'batch requests a minute, company (realm) and app' },
  },
  contract: ({ environment, perMinute, perSecond, batchesPerMinute }) => ({
    http: {
      baseURL:
        environment === 'sandbox' ? 'https://sandbox-quickbooks.api.intuit.com' : 'https://quickbooks.api.intuit.com',
    },
    dimensions: ['realm'],
    limits: [
      slidingWindow({ name: 'minute', limit: perMinute, per: '1m' }),
      slidingWindow({ name: 'second', limit: perSecond, per: '1s' }),
      slidingWindow({ name: 'batches', limit: batchesPerMinute, per: '1m', routes: ['batch'] }),
    ],
    routes: { batch: 'POST /v3/company/:realm/batch', query: 'POST /v3/company/:realm/query' },
    safe: ['GET *', 'HEAD *', 'OPTIONS *', 'query'],
    reading: {
      scopes: { realm: 'minute' },
      rules: [
        { when: { status: 429 }, kind: 'rate', scope: 'realm', waitMs: 60_000 },
        {
          when: { status: [400, 403, 503], body: { 'Fault.Error[].code': { matches: '^0*3001$' } } },
          limited: true,
          kind: 'rate',
          scope: 'realm',
          waitMs: 60_000,
        },
      ],
    },
  }),
  notes: {
    refused: [
      '429, in older times 403 or 503, with `Fault.Error[].code` = `3001` and `ThrottleExceeded` in the message',
      'The body is XML at times, whatever was asked for: then the status alone decides',
    ],
    told: ['Neither figures nor a wait: 60 seconds, as the page says'],
    resend: ['A 429 has not run: safe to send again', 'Other failures of a write may have run'],
    traps: [
      'Writes take a unique id in the query parameter `requestid`, which makes them safe to repeat: the caller sets it, and says so to the call',
      '120 batches a minute and company over all apps, 30 payloads a batch; a batch counts as one call, its parts fail one by one within a 200',
      '800 calls a minute, company and app over QuickBooks and other APIs of Intuit together',
      'The Builder tier includes 500,000 CorePlus calls a month and workspace; beyond it 429 as well, and no wait of 60 seconds helps',
      'Other apps of the company use up its minute: give `ourShare`',
      'What takes longer than 120 seconds is cut off; a sandbox sends 40 mails a day and company',
      'The older limit of 10 calls at once (2016) is not on the page any more',
    ],
    unconfirmed: ['How long `requestid` is remembered', 'Whether a 403 still comes for a limit: seen in 2016'],
  },
  webhooks: [
    {
      signatureHeader: 'intuit-signature',
      signed: 'raw body',
      algorithm: 'hmac-sha256',
      encoding: 'base64',
      tolerance: null,
    },
  ],
});
