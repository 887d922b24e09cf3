import { profile } from '../profile.js';

export const SPOTIFY = profile({
  name: 'spotify',
  title: 'Spotify',
  sources: [
    { url: 'https://developer.spotify.com/documentation/web-api/concepts/rate-limits', checked: '2026-11-30' },
    { url: 'https://developer.spotify.com/documentation/web-api/references/changes/july-2026', checked: '2026-11-30' },
    { url: 'https://developer.spotify.com/blog/2026-07-23-web-api-quota-updates', checked: '2026-11-30' },
  ],
  choices: {},
  numbers: {},
  contract: () => ({
    http: { baseURL: 'https://api.spotify.com/v1' },
    // Spotify keeps its numbers to itself: calls go as they come, and stop while it says so.
    limits: [],
    reading: {
      rules: [{ when: { status: 429, body: { 'error.reason': 'QUOTA_EXCEEDED' } }, kind: 'quota', scope: 'account' }],
    },
  }),
  notes: {
    refused: [
      '429 `API rate limit exceeded`: more calls in the last 30 seconds than the app may have',
      '429 with `error.reason` `QUOTA_EXCEEDED`: the quota of the developer account for apps in development mode is used up',
    ],
    told: ['`Retry-After` in seconds; from one second to a whole day, and at times 0, which tells nothing'],
    resend: ['a 429 has not been done: safe to send again'],
    traps: [
      'the limit is counted over any 30 seconds and per app, and is lower in development mode; its number is not published',
      'give a limit of your own where you know what you may have: `limits: [slidingWindow({ limit: 90, per: "30s" })]`',
      'some endpoints, such as the upload of a cover, have limits of their own',
      'all apps of an account in development mode share one quota',
      'waits of a day are believed: durable work is kept, other calls are refused',
    ],
    unconfirmed: ['that calls made before the wait is over make it longer: told by users'],
  },
});
