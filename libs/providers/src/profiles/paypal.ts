import { profile } from '../profile.js';

/** Endpoints that say that they keep `PayPal-Request-Id` for 6 hours or longer. */
const KEYED = {
  createOrder: 'POST /v2/checkout/orders',
  authorizeOrder: 'POST /v2/checkout/orders/:id/authorize',
  captureOrder: 'POST /v2/checkout/orders/:id/capture',
  captureAuthorization: 'POST /v2/payments/authorizations/:id/capture',
  reauthorize: 'POST /v2/payments/authorizations/:id/reauthorize',
  refundCapture: 'POST /v2/payments/captures/:id/refund',
  createPlan: 'POST /v1/billing/plans',
  createSubscription: 'POST /v1/billing/subscriptions',
  captureSubscription: 'POST /v1/billing/subscriptions/:id/capture',
} as const;

export const PAYPAL = profile({
  name: 'paypal',
  title: 'PayPal REST',
  sources: [
    { url: 'https://developer.paypal.com/api/rate-limiting', checked: '2026-11-30' },
    { url: 'https://developer.paypal.com/reference/guidelines/rate-limiting.md', checked: '2026-11-30' },
    { url: 'https://developer.paypal.com/reference/guidelines/idempotency.md', checked: '2026-11-30' },
    { url: 'https://developer.paypal.com/api/orders/v2/orders-authorize', checked: '2026-11-30' },
    {
      url: 'https://github.com/paypal/paypal-rest-api-specifications/blob/main/openapi/payments_payment_v2.json',
      checked: '2026-11-30',
    },
  ],
  choices: {
    environment: { values: ['live', 'sandbox'], value: 'live', what: 'which servers are called' },
  },
  numbers: {},
  contract: ({ environment }) => ({
    http: {
      baseURL: environment === 'sandbox' ? 'https://api-m.sandbox.paypal.com' : 'https://api-m.paypal.com',
    },
    // PayPal publishes none: its refusals are waited out, with growing pauses.
    limits: [],
    routes: { ...KEYED },
    // What PayPal's own example waits where no `Retry-After` comes.
    pause: { initial: '30s' },
    reading: {
      rules: [
        { when: { status: 429 }, kind: 'rate' },
        { when: { body: { 'details[].issue': 'PREVIOUS_REQUEST_IN_PROGRESS' } }, means: 'key-in-use' },
      ],
    },
    idempotency: { header: 'PayPal-Request-Id', retention: '6h', accepts: Object.keys(KEYED) },
  }),
  notes: {
    refused: ['429 with `name` = `RATE_LIMIT_REACHED`; the page calls it `429 Unprocessable Entity`'],
    told: ['No figures; `Retry-After` is read where it comes, but not promised'],
    idempotency: [
      '`PayPal-Request-Id` on POST: the latest status of the first request is answered',
      'Kept for 6 hours for orders (72 on demand), 72 hours for plans and subscriptions, 45 days for payments',
      'Two at once with the same id: the second may fail with `PREVIOUS_REQUEST_IN_PROGRESS`',
      'The id with another body: `DUPLICATE_REQUEST_ID` or `PAYPAL_REQUEST_ID_PREVIOUSLY_USED`, never to be repeated',
    ],
    resend: [
      'A 429 has not run: it is sent again after the pause',
      'A 5xx may have run: sent again with the same id, and not where the endpoint takes none',
    ],
    traps: [
      'Limits vary by API, environment and traffic and are not published; polling and new tokens for every call set them off',
      'Ids are sent for the endpoints among the routes only: not all APIs honour them, and the vault keeps them for 3 hours',
      'Webhooks are signed with RSA and a certificate (`PAYPAL-TRANSMISSION-SIG`), which is not a scheme of this table',
    ],
    unconfirmed: [
      'The 45 days of payments, the 3 hours of the vault and `PREVIOUS_REQUEST_IN_PROGRESS`: quoted by others',
    ],
  },
});
