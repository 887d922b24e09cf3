import { fixedWindow, type RequestView } from '../../../core/src/index.js';
import { family, X_RATELIMIT } from '../fields.js';
import { profile } from '../profile.js';

/** Twice as many are allowed to those who ask for single fields. */
const units = ({ query }: RequestView): { requests: number } => ({ requests: 'fields' in query ? 0.5 : 1 });

export const VIMEO = profile({
  name: 'vimeo',
  title: 'Vimeo',
  sources: [
    { url: 'https://developer.vimeo.com/guidelines/rate-limiting', checked: '2026-09-30' },
    { url: 'https://help.vimeo.com/hc/en-us/articles/12427783954065-Rate-limits', checked: '2026-11-30' },
    { url: 'https://help.vimeo.com/hc/en-us/articles/12427851678097-API-Best-Practices', checked: '2026-11-30' },
  ],
  choices: {
    plan: {
      values: ['free', 'starter', 'standard', 'advanced', 'enterprise'],
      value: 'standard',
      what: 'plan of the user, or of the owner of the app where no user is authenticated',
    },
  },
  numbers: {
    perMinute: {
      value: { by: 'plan', of: { free: 25, starter: 125, standard: 250, advanced: 750, enterprise: 2_500 } },
      what: 'requests without `fields`, in 60 seconds, of an app and user; one with `fields` counts half',
      unconfirmed: true,
    },
  },
  contract: ({ perMinute }) => ({
    http: { baseURL: 'https://api.vimeo.com' },
    dimensions: ['user'],
    limits: [fixedWindow({ name: 'minute', limit: perMinute, per: '1m' })],
    units,
    reading: { scopes: { 'app+user': 'minute' }, windows: [family(X_RATELIMIT, 'app+user')] },
  }),
  notes: {
    refused: ['429 with `error_code` 9000, for up to a minute'],
    told: [
      '`X-RateLimit-Limit`, `-Remaining`: responses in the 60 seconds; twice as many where `fields` was asked for',
      '`X-RateLimit-Reset`: a date and time, ISO 8601 or as HTTP writes it; seconds since 1970 in former times',
    ],
    cost: ['a request with `fields` counts half'],
    resend: ['a 429 has not been done: safe to send again'],
    traps: ['an app that is refused again and again may be blocked'],
    unconfirmed: [
      'all numbers: of a copy of the page made by others',
      'the exact form of `X-RateLimit-Reset`',
      'that a refused call has had no effect',
    ],
  },
});
