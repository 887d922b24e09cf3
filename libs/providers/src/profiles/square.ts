import { profile } from '../profile.js';

/** Endpoints whose request has the field `idempotency_key` at its top. Others may refuse a field they do not know. */
const KEYED = {
  createPayment: 'POST /payments',
  refundPayment: 'POST /refunds',
  createOrder: 'POST /orders',
  updateOrder: 'PUT /orders/:id',
  payOrder: 'POST /orders/:id/pay',
  createCustomer: 'POST /customers',
  createCard: 'POST /cards',
  createInvoice: 'POST /invoices',
  publishInvoice: 'POST /invoices/:id/publish',
  createSubscription: 'POST /subscriptions',
  upsertCatalogObject: 'POST /catalog/object',
  batchUpsertCatalogObjects: 'POST /catalog/batch-upsert',
  batchChangeInventory: 'POST /inventory/changes/batch-create',
} as const;

export const SQUARE = profile({
  name: 'square',
  title: 'Square',
  sources: [
    { url: 'https://developer.squareup.com/docs/build-basics/handling-errors', checked: '2026-11-30' },
    { url: 'https://developer.squareup.com/reference/square/objects/ErrorCategory', checked: '2026-11-30' },
    { url: 'https://developer.squareup.com/docs/working-with-apis/idempotency', checked: '2026-11-30' },
    {
      url: 'https://developer.squareup.com/forums/t/how-long-are-idempotency-keys-retained-for-the-createpayment-endpoint/28303',
      checked: '2026-11-30',
    },
    { url: 'https://developer.squareup.com/docs/webhooks/step3validate', checked: '2026-11-30' },
  ],
  choices: {
    environment: { values: ['production', 'sandbox'], value: 'production', what: 'which servers are called' },
  },
  numbers: {},
  contract: ({ environment }) => ({
    http: {
      baseURL: environment === 'sandbox' ? 'https://connect.squareupsandbox.com/v2' : 'https://connect.squareup.com/v2',
    },
    dimensions: ['seller'],
    // Square publishes none: its refusals are waited out, with growing pauses.
    limits: [],
    routes: { ...KEYED },
    safe: ['GET *', 'HEAD *', 'OPTIONS *', 'POST /:resource/search', 'POST /:resource/batch-retrieve'],
    pause: { initial: '1s' },
    reading: {
      rules: [{ when: { status: 429 }, kind: 'rate' }],
    },
    idempotency: { bodyField: 'idempotency_key', retention: '24h', accepts: Object.keys(KEYED) },
  }),
  notes: {
    refused: ['429 with `errors[].category` = `RATE_LIMIT_ERROR` and `errors[].code` = `RATE_LIMITED`'],
    told: ['Neither figures nor `Retry-After`'],
    idempotency: [
      'Field `idempotency_key` of the body, demanded by most endpoints that create, change or delete',
      'The same key with another body is an error; Square asks to keep the key when a 429 or a 5xx is sent again',
      'Square publishes no retention: a key is used for 24 hours at most',
    ],
    resend: [
      'A 429 has not run: safe to send again with the same key',
      'A 5xx is sent again with the same key, and not where the endpoint takes none',
    ],
    traps: [
      'Limits are per application and seller and not published; give `limits` if support has told you yours',
      'Without a limit a refusal pauses the whole provider, not one seller',
      'Bulk endpoints answer 200 with errors for single elements',
      'Keys are set for the endpoints among the routes only',
    ],
    unconfirmed: [
      'That `createCard`, `createInvoice`, `publishInvoice`, `createSubscription`, `updateOrder` and `upsertCatalogObject` take the key at the top of the body',
      'What a key used with another body is answered with',
    ],
  },
  webhooks: [
    {
      signatureHeader: 'x-square-hmacsha256-signature',
      signed: 'notification URL + raw body',
      algorithm: 'hmac-sha256',
      encoding: 'base64',
      tolerance: null,
    },
  ],
});
