import { concurrency, slidingWindow } from '../../../core/src/index.js';
import type { Rules } from '../fields.js';
import { profile } from '../profile.js';

/** Operations with the limit that every endpoint has. Ids do not matter: all customers are read by one endpoint. */
const ENDPOINTS = {
  createCustomer: 'POST /v1/customers',
  listCustomers: 'GET /v1/customers',
  getCustomer: 'GET /v1/customers/:id',
  updateCustomer: 'POST /v1/customers/:id',
  createPaymentIntent: 'POST /v1/payment_intents',
  getPaymentIntent: 'GET /v1/payment_intents/:id',
  updatePaymentIntent: 'POST /v1/payment_intents/:id',
  confirmPaymentIntent: 'POST /v1/payment_intents/:id/confirm',
  capturePaymentIntent: 'POST /v1/payment_intents/:id/capture',
  createRefund: 'POST /v1/refunds',
  createSubscription: 'POST /v1/subscriptions',
  listSubscriptions: 'GET /v1/subscriptions',
  getSubscription: 'GET /v1/subscriptions/:id',
  updateSubscription: 'POST /v1/subscriptions/:id',
  createInvoice: 'POST /v1/invoices',
  listInvoices: 'GET /v1/invoices',
  getInvoice: 'GET /v1/invoices/:id',
  listEvents: 'GET /v1/events',
  listBalanceTransactions: 'GET /v1/balance_transactions',
} as const;

const OWN = {
  search: 'GET /v1/:resource/search',
  createFile: 'POST /v1/files',
  listFiles: 'GET /v1/files',
  getFile: 'GET /v1/files/:id',
  createPayout: 'POST /v1/payouts',
} as const;

const RULES: Rules = [
  {
    when: { body: { 'error.code': 'lock_timeout' } },
    limited: false,
    retryable: true,
    kind: 'lock',
    scope: 'object',
  },
  {
    when: { status: 429, headers: { 'stripe-rate-limited-reason': { matches: 'concurrency$' } } },
    kind: 'concurrency',
    scope: { from: 'stripe-rate-limited-reason' },
  },
  {
    when: { status: 429, headers: { 'stripe-rate-limited-reason': { present: true } } },
    kind: 'rate',
    scope: { from: 'stripe-rate-limited-reason' },
  },
  { when: { status: 409, body: { 'error.code': 'idempotency_key_in_use' } }, means: 'key-in-use' },
  { when: { headers: { 'stripe-should-retry': false } }, retryable: false },
  { when: { headers: { 'stripe-should-retry': true } }, retryable: true },
];

export const STRIPE = profile({
  name: 'stripe',
  title: 'Stripe',
  sources: [
    { url: 'https://docs.stripe.com/rate-limits', checked: '2026-11-30' },
    { url: 'https://docs.stripe.com/api/idempotent_requests', checked: '2026-11-30' },
    { url: 'https://docs.stripe.com/error-low-level', checked: '2026-11-30' },
    { url: 'https://github.com/stripe/stripe-node/blob/master/src/RequestSender.ts', checked: '2026-11-30' },
    { url: 'https://docs.stripe.com/webhooks', checked: '2026-09-30' },
  ],
  choices: {
    environment: { values: ['live', 'sandbox'], value: 'live', what: 'live keys, or those of a sandbox' },
    api: { values: ['v1', 'v2'], value: 'v1', what: 'how the API called treats idempotency keys' },
  },
  numbers: {
    perSecond: {
      value: { by: 'environment', of: { live: 100, sandbox: 25 } },
      what: 'calls a second and account, over all endpoints',
    },
    perEndpoint: { value: 25, what: 'calls a second, account and endpoint, where nothing else is said' },
    searchPerSecond: { value: 20, what: 'searches a second and account' },
    fileReadsPerSecond: { value: 20, what: 'reads of files a second and account' },
    fileWritesPerSecond: { value: 20, what: 'uploads a second and account' },
    payoutsPerSecond: { value: 15, what: 'payouts created a second and account' },
    payoutsConcurrent: { value: 30, what: 'creations of payouts under way at once, of an account', whole: true },
  },
  contract: (chosen) => ({
    http: { baseURL: 'https://api.stripe.com' },
    dimensions: ['account'],
    // The search first: its template would fit a customer's id otherwise.
    routes: { ...OWN, ...ENDPOINTS },
    limits: [
      slidingWindow({ name: 'second', limit: chosen.perSecond, per: '1s' }),
      ...Object.keys(ENDPOINTS).map((name) =>
        slidingWindow({ name, limit: chosen.perEndpoint, per: '1s', routes: [name] }),
      ),
      slidingWindow({ name: 'search', limit: chosen.searchPerSecond, per: '1s', routes: ['search'] }),
      slidingWindow({
        name: 'file-reads',
        limit: chosen.fileReadsPerSecond,
        per: '1s',
        routes: ['listFiles', 'getFile'],
      }),
      slidingWindow({ name: 'file-writes', limit: chosen.fileWritesPerSecond, per: '1s', routes: ['createFile'] }),
      slidingWindow({ name: 'payouts', limit: chosen.payoutsPerSecond, per: '1s', routes: ['createPayout'] }),
      concurrency({ name: 'payouts-concurrent', limit: chosen.payoutsConcurrent, routes: ['createPayout'] }),
    ],
    pause: { initial: '1s' },
    reading: {
      scopes: { 'global-rate': 'second' },
      rules: RULES,
    },
    idempotency:
      chosen.api === 'v2'
        ? { header: 'Idempotency-Key', retention: '30d', methods: ['POST', 'DELETE'] }
        : { header: 'Idempotency-Key', retention: '24h', methods: ['POST'] },
  }),
  notes: {
    refused: [
      '429; `Stripe-Rate-Limited-Reason` names the limiter: `global-rate`, `endpoint-rate`, `global-concurrency`, `endpoint-concurrency` or `resource-specific`',
      '429 with `error.code` = `lock_timeout` and without that header is a lock of one object, not a limit',
    ],
    told: [
      'Neither figures nor `Retry-After`',
      '`Stripe-Should-Retry: true` or `false` says whether the same request may succeed',
    ],
    idempotency: [
      'v1: `Idempotency-Key` of at most 255 characters on POST, kept for at least 24 hours; the first status and body are replayed, 500s too',
      'v2: on POST and DELETE, kept for 30 days; what failed is run again where it can be',
      'Another request with the same key is an error; 409 `idempotency_key_in_use` = the first one still runs',
      'Nothing is kept where parameters were invalid or another request was in the way',
    ],
    resend: [
      'A 429 has not run: safe to send again',
      'A 5xx with the same key is replayed, not run: `Stripe-Should-Retry: false` says so',
    ],
    traps: [
      'Limits of one object are not held: 1,000 updates of a PaymentIntent an hour; of a subscription 10 invoices a minute, 20 a day and 200 changes of quantity an hour',
      'Every operation has a limit of its own; the contract holds it for the endpoints among its routes',
      'Reads are allotted by transactions too: on average 500 for each over 30 days, at least 10,000 a month',
      'Meter events have 1,000 a second of their own',
      'Limits may be lower in practice: Stripe keeps the right to reduce them',
    ],
    unconfirmed: ['The allotment of reads, and that of meter events, on the page as it is now'],
  },
  webhooks: [
    {
      signatureHeader: 'stripe-signature',
      signed: 't.body',
      algorithm: 'hmac-sha256',
      encoding: 'hex',
      tolerance: '5m',
    },
  ],
});
