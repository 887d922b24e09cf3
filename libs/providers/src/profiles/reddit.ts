import { slidingWindow } from '../../../core/src/index.js';
import { family, X_RATELIMIT } from '../fields.js';
import { profile } from '../profile.js';

export const REDDIT = profile({
  name: 'reddit',
  title: 'Reddit',
  sources: [
    {
      url: 'https://www.reddit.com/r/modnews/comments/13wshdp/api_update_continued_access_to_our_api_for/',
      checked: '2026-11-30',
    },
    { url: 'https://www.reddit.com/r/redditdev/comments/1yxrp7/formal_ratelimiting_headers/', checked: '2026-11-30' },
    { url: 'https://github.com/reddit-archive/reddit/wiki/API', checked: '2026-11-30' },
    { url: 'https://github.com/praw-dev/prawcore/blob/main/prawcore/rate_limit.py', checked: '2026-11-30' },
    { url: 'https://github.com/praw-dev/praw/issues/2046', checked: '2026-11-30' },
  ],
  choices: {
    access: { values: ['oauth', 'anonymous'], value: 'oauth', what: 'whether calls carry a token of OAuth' },
  },
  numbers: {
    perTenMinutes: {
      value: { by: 'access', of: { oauth: 1_000, anonymous: 100 } },
      what: 'calls per ten minutes and client: 100 a minute on average, or 10 without OAuth',
    },
  },
  contract: ({ access, perTenMinutes }) => ({
    http: { baseURL: access === 'oauth' ? 'https://oauth.reddit.com' : 'https://www.reddit.com' },
    dimensions: ['client', 'user'],
    // It counts windows that end, but asks not to fill the end of one and the beginning of the next.
    limits: [slidingWindow({ name: 'ten-minutes', limit: perTenMinutes, per: '10m', countedBy: ['client'] })],
    reading: {
      // `Take a break for 3 seconds before trying again.`
      waits: ['retry-after', { from: { body: 'json.errors[][]', pattern: 'break for (\\d+) seconds' }, as: 'seconds' }],
      scopes: { client: 'ten-minutes' },
      windows: [{ ...family(X_RATELIMIT, 'client'), reset: { from: `${X_RATELIMIT}-reset`, as: 'seconds' } }],
      rules: [
        // Reddit refuses an account that is too new or too busy with 200 and a word.
        {
          when: { status: 200, body: { 'json.errors[][]': 'RATELIMIT' } },
          limited: true,
          kind: 'secondary',
          scope: 'account',
        },
        // A 403 is no limit, though it may be the last answer of a window.
        { when: { status: 403 }, means: 'rejected' },
      ],
    },
  }),
  notes: {
    refused: [
      '429, with an empty body',
      '200 with `RATELIMIT` in `json.errors`, on posts and comments: this account has to take a break, as the sentence beside it says',
    ],
    told: [
      '`X-Ratelimit-Remaining`: calls left, with a decimal: `594.0`; `X-Ratelimit-Used`',
      '`X-Ratelimit-Reset`: seconds to the end of the window, not a moment',
      'no `Retry-After`',
    ],
    resend: ['a 429 has not been done: safe to send again', 'what is refused with `RATELIMIT` has not been posted'],
    traps: [
      'Enterprise clients have numbers of their own: give them with `perTenMinutes`',
      'at the very end of a window a call may be refused with a reset of 0',
      'a `User-Agent` that is not unique is limited more',
      'the break that `RATELIMIT` tells stands only in its sentence; one of minutes is not read',
      '`RATELIMIT` stops one account: name it as the partition `user`, or all calls of the client pause',
    ],
    unconfirmed: ['the answer with `RATELIMIT`: as clients of Reddit read it'],
  },
});
