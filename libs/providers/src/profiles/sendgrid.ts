import { slidingWindow } from '../../../core/src/index.js';
import { family, X_RATELIMIT } from '../fields.js';
import { profile } from '../profile.js';

export const SENDGRID = profile({
  name: 'sendgrid',
  title: 'Twilio SendGrid v3',
  sources: [
    {
      url: 'https://www.twilio.com/docs/sendgrid/api-reference/how-to-use-the-sendgrid-v3-api/rate-limits',
      checked: '2026-11-30',
    },
    {
      url: 'https://www.twilio.com/en-us/changelog/rate-limit-change-for-the-twilio-sendgrid-email-activity-api',
      checked: '2026-11-30',
    },
    {
      url: 'https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/getting-started-event-webhook-security-features',
      checked: '2026-11-30',
    },
  ],
  choices: {},
  numbers: {
    activityPerMinute: { value: 6, what: 'calls of the Email Activity API a minute and account' },
  },
  contract: ({ activityPerMinute }) => ({
    http: { baseURL: 'https://api.sendgrid.com/v3' },
    dimensions: ['account'],
    routes: { activity: 'GET /messages', message: 'GET /messages/:id' },
    limits: [slidingWindow({ name: 'activity', limit: activityPerMinute, per: '1m', routes: ['activity', 'message'] })],
    pause: { initial: '5s' },
    reading: {
      windows: [{ ...family(X_RATELIMIT, 'endpoint'), reset: { from: `${X_RATELIMIT}-reset`, as: 'epoch-seconds' } }],
    },
  }),
  notes: {
    refused: ['429 with `errors[].message` = `too many requests`, until the period of that endpoint is over'],
    told: [
      '`X-RateLimit-Limit`, `-Remaining` and `-Reset` of the endpoint; the reset in seconds since 1970',
      '`Retry-After` is not documented',
    ],
    resend: ['A 429 has not run: safe to send again', 'A mail whose answer was lost may have been taken'],
    traps: [
      'Each endpoint has a number and a period of its own, published for the Email Activity API only; add `limits` with `routes` for those that your headers show',
      'A refusal of an endpoint without a limit here pauses all of them',
    ],
    unconfirmed: ['That single messages count with the Email Activity API'],
  },
  webhooks: [
    {
      signatureHeader: 'x-twilio-email-event-webhook-signature',
      timestampHeader: 'x-twilio-email-event-webhook-timestamp',
      signed: 'timestamp + raw body',
      algorithm: 'ecdsa-p256-sha256',
      encoding: 'base64',
      tolerance: null,
    },
  ],
});
