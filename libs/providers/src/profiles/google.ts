import { slidingWindow } from '../../../core/src/index.js';
import { profile } from '../profile.js';
import { GOOGLE_COSTS, googleUnits } from './google-units.js';

const APIS = ['drive', 'gmail', 'calendar'] as const;
const BASES = {
  drive: 'https://www.googleapis.com/drive/v3',
  gmail: 'https://gmail.googleapis.com/gmail/v1',
  calendar: 'https://www.googleapis.com/calendar/v3',
};
const REASON = 'error.errors[].reason';

export const GOOGLE = profile({
  name: 'google',
  title: 'Google Drive, Gmail and Calendar',
  sources: [
    { url: 'https://developers.google.com/workspace/drive/api/guides/limits', checked: '2026-11-30' },
    { url: 'https://developers.google.com/workspace/gmail/api/reference/quota', checked: '2026-11-30' },
    { url: 'https://developers.google.com/workspace/calendar/api/guides/quota', checked: '2026-11-30' },
    { url: 'https://developers.google.com/workspace/calendar/api/guides/errors', checked: '2026-09-30' },
  ],
  choices: {
    api: { values: APIS, value: 'drive', what: 'which of the three; each has a contract of its own' },
  },
  numbers: {
    perMinute: {
      value: { by: 'api', of: { drive: 1_000_000, gmail: 1_200_000, calendar: 10_000 } },
      what: 'units a minute of the project; of Calendar calls',
    },
    perUserMinute: {
      value: { by: 'api', of: { drive: 325_000, gmail: 6_000, calendar: 600 } },
      what: 'units a minute of each user of the project; of Calendar calls',
    },
  },
  contract: ({ api, perMinute, perUserMinute }) => {
    const known = APIS.find((each) => each === api) ?? 'drive';
    return {
      http: { baseURL: BASES[known] },
      dimensions: ['user'],
      units: (request) => ({ units: googleUnits(GOOGLE_COSTS[known], request) }),
      limits: [
        slidingWindow({ name: 'project-minute', unit: 'units', limit: perMinute, per: '1m', countedBy: [] }),
        slidingWindow({ name: 'user-minute', unit: 'units', limit: perUserMinute, per: '1m' }),
      ],
      reading: {
        // Elsewhere `rateLimitExceeded` is of the back end or of one calendar, and stops its user alone.
        scopes: { user: 'user-minute', ...(known === 'gmail' ? { rateLimitExceeded: 'project-minute' } : {}) },
        waits: [
          'retry-after',
          { body: 'error.details[].retryDelay' },
          { body: 'error.message', pattern: 'retry after (\\S+)' },
        ],
        rules: [
          { when: { body: { [REASON]: 'userRateLimitExceeded' } }, limited: true, kind: 'rate', scope: 'user' },
          {
            when: { body: { [REASON]: 'rateLimitExceeded' } },
            limited: true,
            kind: 'rate',
            scope: { from: { body: REASON } },
          },
          {
            when: { body: { [REASON]: { matches: '^(?:quota|dailyLimit)Exceeded$' } } },
            limited: true,
            kind: 'quota',
            scope: { from: { body: REASON } },
          },
        ],
      },
    };
  },
  notes: {
    refused: [
      '403 or 429; `error.errors[].reason` is `userRateLimitExceeded`, `rateLimitExceeded`, `quotaExceeded` or `dailyLimitExceeded`',
      'a 403 with any other reason (`insufficientPermissions`, `storageQuotaExceeded`, `forbiddenForNonOrganizer`) is no limit',
    ],
    told: [
      'no figures at all; a wait at times: `error.details[].retryDelay` (`34s`), or `Retry after <date>` in the text of Gmail',
    ],
    cost: [
      'Drive: read 5, list 100, download 200, change 50, others 5 units',
      'Gmail: send 100, list and get 5, insert and import 25, threads 10 (deleted 20), batch 50 units; others by their page',
      'Calendar: each call is one',
    ],
    resend: [
      'a refusal for a limit has not been done: safe to send again',
      'there are no keys of idempotency; an event or a file may be created with an id of your own, and comes as 409 the second time',
    ],
    traps: [
      'each API is a contract of its own: `google({ api: "gmail", name: "gmail" })`',
      'projects that used an API before May 2026 keep their former numbers (Gmail 15,000 units a minute and user)',
      'a day of 400,000,000 (Drive), 80,000,000 (Gmail) or 1,000,000 (Calendar) is where fees begin, no limit',
      'writes to one calendar in quick succession are refused sooner; Gmail limits how much is sent and read in a day apart',
      '`sharingRateLimitExceeded` (403) is a limit of sharing alone that lasts for hours: the call is over, and nobody waits for it',
      'batches (`multipart/mixed`) are charged as one call here, and as many there',
    ],
    unconfirmed: [
      'that the text of Gmail tells a moment',
      'costs of threads, `watch` and `stop` of Gmail, from copies of its page',
      'whether the day of Calendar is 1,000,000',
    ],
  },
});
