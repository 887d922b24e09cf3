import { slidingWindow } from '../../../core/src/index.js';
import { family, X_RATELIMIT } from '../fields.js';
import { profile } from '../profile.js';

/** Endpoints that are called much; each has a minute of its own. */
const ENDPOINTS = {
  listSubscribers: 'GET /subscribers',
  createSubscriber: 'POST /subscribers',
  getSubscriber: 'GET /subscribers/:id',
  updateSubscriber: 'PUT /subscribers/:id',
  listGroups: 'GET /groups',
  listGroupSubscribers: 'GET /groups/:group/subscribers',
  addToGroup: 'POST /groups/:group/subscribers',
  removeFromGroup: 'DELETE /groups/:group/subscribers/:id',
  importSubscribers: 'POST /groups/:group/subscribers/import',
  getImport: 'GET /groups/:group/subscribers/import/:id',
} as const;

export const MAILERLITE_CLASSIC = profile({
  name: 'mailerlite-classic',
  title: 'MailerLite Classic',
  sources: [
    { url: 'https://developers-classic.mailerlite.com/docs/api-rate-limits', checked: '2026-11-30' },
    {
      url: 'https://developers-classic.mailerlite.com/reference/groupsidsubscribersimportimport_id',
      checked: '2026-11-30',
    },
    { url: 'https://developers-classic.mailerlite.com/docs/webhooks', checked: '2026-11-30' },
  ],
  choices: {},
  numbers: {
    perMinute: { value: 60, what: 'calls a minute, account and endpoint' },
  },
  contract: ({ perMinute }) => ({
    http: { baseURL: 'https://api.mailerlite.com/api/v2' },
    dimensions: ['account'],
    routes: { ...ENDPOINTS },
    limits: Object.keys(ENDPOINTS).map((name) => slidingWindow({ name, limit: perMinute, per: '1m', routes: [name] })),
    safe: ['GET *', 'HEAD *', 'OPTIONS *', 'PUT *'],
    reading: {
      waits: ['retry-after', 'x-ratelimit-retry-after'],
      windows: [{ ...family(X_RATELIMIT), reset: { from: `${X_RATELIMIT}-reset`, as: 'date' } }],
      // The wait comes with every answer: here it makes no limit of a 403.
      rules: [{ when: { status: 403 }, means: 'rejected', kind: 'permission' }],
    },
  }),
  notes: {
    refused: ['429, until the minute of that endpoint is over'],
    told: [
      '`X-RateLimit-Limit`, `-Remaining`, and `-Reset` as date and time: figures of the endpoint',
      '`X-RateLimit-Retry-After` in seconds, on every answer',
    ],
    resend: ['A 429 has not run: safe to send again', 'Changes by PUT may be repeated, other writes may not'],
    traps: ['Add routes and limits for the other endpoints that you call much: each has a minute of its own'],
    unconfirmed: [
      'Which endpoints are limited: their page has the tag [Rate limited], and only that of imports was seen',
      'How the date of `X-RateLimit-Reset` is written, and its zone: `X-RateLimit-Retry-After` goes before it',
      'The signature of webhooks',
    ],
  },
  webhooks: [
    {
      signatureHeader: 'x-mailerlite-signature',
      signed: 'raw body',
      algorithm: 'hmac-sha256',
      encoding: 'base64',
      tolerance: null,
      unconfirmed: true,
    },
  ],
});
