import { family } from '../fields.js';
import { profile } from '../profile.js';

export const PRISJAKT = profile({
  name: 'prisjakt',
  title: 'Prisjakt',
  sources: [{ url: 'https://developer.prisjakt.nu/docs/sections/rate-limit', checked: '2026-11-30' }],
  choices: {},
  numbers: {},
  contract: () => ({
    // The numbers differ by API and agreement. Figures find a limit of an hour that is given.
    limits: [],
    reading: {
      windows: [
        {
          ...family('x-rate-limit'),
          reset: { from: 'x-rate-limit-reset', as: 'milliseconds' },
          windowSeconds: 3_600,
        },
      ],
    },
  }),
  notes: {
    refused: ['429'],
    told: [
      '`X-Rate-Limit-Limit`: calls an hour; `X-Rate-Limit-Remaining`: calls left',
      '`X-Rate-Limit-Reset`: milliseconds from now; read as seconds, ten minutes would be a week',
      'no `Retry-After`',
    ],
    resend: ['a 429 has not been done: safe to send again'],
    traps: [
      'limits are per customer and differ by API and agreement: give yours, e.g. `prisjakt({ limits: [slidingWindow({ limit: 10_000, per: "1h" })] })`',
    ],
  },
});
