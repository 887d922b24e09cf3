import { profile } from '../profile.js';

const SECONDS = { second: 1, minute: 60, hour: 3_600, day: 86_400 } as const;

const windows = (['second', 'minute', 'hour', 'day'] as const).map((period) => ({
  scope: period,
  windowSeconds: SECONDS[period],
  limit: `x-ratelimit-limit-${period}`,
  remaining: `x-ratelimit-remaining-${period}`,
  // It is the one of the tightest window, which mostly is the shortest; the others begin anew by the clock.
  ...(period === 'minute'
    ? { reset: { from: 'ratelimit-reset', as: 'seconds' as const } }
    : { alignedMs: SECONDS[period] * 1_000 }),
  ...(period === 'day' ? { kind: 'quota' } : {}),
}));

export const KONG = profile({
  name: 'kong',
  title: 'APIs behind Kong Gateway',
  sources: [
    { url: 'https://developer.konghq.com/plugins/rate-limiting/', checked: '2026-11-30' },
    {
      url: 'https://github.com/Kong/developer.konghq.com/blob/main/app/_includes/plugins/rate-limiting/headers.md',
      checked: '2026-11-30',
    },
  ],
  choices: {},
  numbers: {},
  contract: () => ({
    // Each API behind it has its own. Figures find a limit that is given by the length of its window.
    limits: [],
    reading: { windows },
  }),
  notes: {
    refused: ['429 with the body `{"message": "API rate limit exceeded"}`'],
    told: [
      '`X-RateLimit-Limit-Minute`, `X-RateLimit-Remaining-Minute` and the same of `Second`, `Hour` and `Day`, as many as the API has',
      '`RateLimit-Limit`, `RateLimit-Remaining`, `RateLimit-Reset`: of one of them, the reset in seconds from now',
      '`Retry-After` in seconds on a 429',
    ],
    resend: ['a 429 has not reached the API behind it: safe to send again'],
    traps: [
      'the numbers are those of the API: give them as limits, e.g. `kong({ limits: [fixedWindow({ limit: 100, per: "1m", align: "clock" })] })`',
      'windows of months and years, and the named ones of the plugin Response Rate Limiting (`X-RateLimit-Limit-Videos-Minute`), are not read',
      'Kong may be told to hide all headers but `Retry-After`',
    ],
    unconfirmed: ['which window `RateLimit-Reset` is about where there are several'],
  },
});
