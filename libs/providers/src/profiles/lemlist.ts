import { slidingWindow } from '../../../core/src/index.js';
import { family, X_RATELIMIT } from '../fields.js';
import { profile } from '../profile.js';

export const LEMLIST = profile({
  name: 'lemlist',
  title: 'lemlist',
  sources: [{ url: 'https://developer.lemlist.com/api-reference/getting-started/rate-limits', checked: '2026-11-30' }],
  choices: {},
  numbers: {
    perTwoSeconds: { value: 20, what: 'calls in 2 seconds and API key' },
  },
  contract: ({ perTwoSeconds }) => ({
    http: { baseURL: 'https://api.lemlist.com/api' },
    dimensions: ['key'],
    limits: [slidingWindow({ name: 'window', limit: perTwoSeconds, per: '2s' })],
    pause: { initial: '2s' },
    reading: {
      scopes: { key: 'window' },
      windows: [{ ...family(X_RATELIMIT, 'key'), reset: { from: `${X_RATELIMIT}-reset`, as: 'date' } }],
      // `Retry-After` comes with every answer: here it makes no limit of a 403.
      rules: [{ when: { status: 403 }, means: 'rejected', kind: 'permission' }],
    },
  }),
  notes: {
    refused: ['429'],
    told: [
      '`X-RateLimit-Limit`, `-Remaining`, and `-Reset` as a date the way JavaScript prints it, with its zone',
      '`Retry-After` in seconds, on every answer',
    ],
    resend: ['A 429 has not run: safe to send again', 'Other failures of a write may have run'],
    traps: ['All routes of a key share one limit'],
    unconfirmed: ['Whether the two seconds roll: taken as if they did', 'What a 429 holds besides its headers'],
  },
});
