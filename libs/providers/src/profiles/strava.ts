import { fixedWindow, quota } from '../../../core/src/index.js';
import { profile } from '../profile.js';

/** Two values in one header: those of the quarter of an hour, and those of the day. */
const windows = (['overall', 'read'] as const).flatMap((name) => {
  const prefix = name === 'overall' ? 'x-ratelimit' : 'x-readratelimit';
  return (
    [
      ['15min', 900_000, 'rate'],
      ['day', 86_400_000, 'quota'],
    ] as const
  ).map(([length, alignedMs, kind], index) => ({
    scope: `${name}:${length}`,
    kind,
    limit: { header: `${prefix}-limit`, index },
    used: { header: `${prefix}-usage`, index },
    alignedMs,
  }));
});

export const STRAVA = profile({
  name: 'strava',
  title: 'Strava',
  sources: [
    { url: 'https://developers.strava.com/docs/rate-limits', checked: '2026-11-30' },
    { url: 'https://developers.strava.com/docs/getting-started/', checked: '2026-11-30' },
    { url: 'https://github.com/dblock/slack-strava/issues/38', checked: '2026-11-30' },
  ],
  choices: {
    access: {
      values: ['single-player', 'upgraded'],
      value: 'single-player',
      what: 'how many athletes the app may have: its owner alone, or ten and more',
    },
  },
  numbers: {
    perQuarterHour: {
      value: { by: 'access', of: { 'single-player': 200, upgraded: 400 } },
      what: 'calls in a quarter of an hour',
    },
    perDay: { value: { by: 'access', of: { 'single-player': 2_000, upgraded: 4_000 } }, what: 'calls a day' },
    readsPerQuarterHour: {
      value: { by: 'access', of: { 'single-player': 100, upgraded: 200 } },
      what: 'calls in a quarter of an hour that upload nothing',
    },
    readsPerDay: {
      value: { by: 'access', of: { 'single-player': 1_000, upgraded: 2_000 } },
      what: 'calls a day that upload nothing',
    },
  },
  contract: ({ perQuarterHour, perDay, readsPerQuarterHour, readsPerDay }) => ({
    http: { baseURL: 'https://www.strava.com/api/v3' },
    routes: { upload: 'POST /uploads', activity: 'POST /activities', read: '* /*rest' },
    limits: [
      fixedWindow({ name: 'quarter-hour', limit: perQuarterHour, per: '15m', align: 'clock' }),
      // Each answer tells what is used: what a restart forgets is known again after one call.
      quota({ name: 'day', limit: perDay, per: 'day', volatile: true }),
      fixedWindow({
        name: 'read-quarter-hour',
        limit: readsPerQuarterHour,
        per: '15m',
        align: 'clock',
        routes: ['read'],
      }),
      quota({ name: 'read-day', limit: readsPerDay, per: 'day', routes: ['read'], volatile: true }),
    ],
    reading: {
      scopes: {
        'overall:15min': 'quarter-hour',
        'overall:day': 'day',
        'read:15min': 'read-quarter-hour',
        'read:day': 'read-day',
      },
      windows,
      // An app without access, or one athlete too many; limits were refused so until 2018.
      rules: [{ when: { status: 403 }, means: 'rejected' }],
    },
  }),
  notes: {
    refused: ['429 with `errors` `[{resource: Application, field: rate limit, code: exceeded}]`'],
    told: [
      '`X-RateLimit-Limit: 200,2000` and `X-RateLimit-Usage: 201,900`: of the quarter of an hour and of the day; what is used may be more than the limit',
      '`X-ReadRateLimit-Limit` and `-Usage`: the same of calls that upload nothing',
      'no reset and no `Retry-After`: quarters begin at 0, 15, 30 and 45 minutes past, days at midnight UTC',
    ],
    resend: ['a 429 has not been done: safe to send again'],
    traps: [
      'calls that are refused for the quarter of an hour count for the day',
      '403 `Limit of connected athletes exceeded` is no limit of calls, and no wait repairs it',
      'media of an activity do not count as reads either; the contract counts them so',
      'webhooks are not signed',
    ],
    unconfirmed: ['numbers of an upgraded app: quoted by a third party from the page of getting started'],
  },
});
