import { slidingWindow } from '../../../core/src/index.js';
import { family, type Rules } from '../fields.js';
import { profile } from '../profile.js';

const day = (whose: 'user' | 'app') => ({
  scope: `${whose}:day`,
  windowSeconds: 86_400,
  kind: 'quota',
  limit: `x-${whose}-limit-24hour-limit`,
  remaining: `x-${whose}-limit-24hour-remaining`,
  reset: { from: `x-${whose}-limit-24hour-reset`, as: 'epoch-seconds' as const },
});

const RULES: Rules = [
  {
    when: { status: 429, body: { type: { matches: '/usage-capped$' } } },
    retryable: false,
    kind: 'spend',
    scope: 'usage',
  },
  {
    when: { status: 403, body: { 'errors[].code': 185 } },
    limited: true,
    kind: 'quota',
    scope: 'user:day',
  },
  // Any other 403 is no limit, though it may be the last answer of a window.
  { when: { status: 403 }, means: 'rejected' },
];

export const X = profile({
  name: 'x',
  title: 'X',
  sources: [
    { url: 'https://docs.x.com/x-api/fundamentals/rate-limits', checked: '2026-11-30' },
    { url: 'https://docs.x.com/x-api/fundamentals/response-codes-and-errors', checked: '2026-11-30' },
    { url: 'https://docs.x.com/x-api/webhooks/quickstart', checked: '2026-11-30' },
    { url: 'https://github.com/xdevplatform/xdk/issues/25', checked: '2026-11-30' },
  ],
  choices: {
    access: {
      values: ['app', 'user'],
      value: 'user',
      what: 'whose token is sent: the bearer token of the app, or that of a user',
    },
  },
  numbers: {
    searches: { value: { by: 'access', of: { app: 450, user: 300 } }, what: 'recent searches per 15 minutes' },
    postLookups: {
      value: { by: 'access', of: { app: 3_500, user: 5_000 } },
      what: 'lookups of several posts per 15 minutes',
    },
    postReads: { value: { by: 'access', of: { app: 450, user: 900 } }, what: 'reads of one post per 15 minutes' },
    userReads: {
      value: { by: 'access', of: { app: 300, user: 900 } },
      what: 'reads of users per 15 minutes, for each of the three ways to name them',
    },
    timelines: {
      value: { by: 'access', of: { app: 10_000, user: 900 } },
      what: 'reads of posts of a user per 15 minutes',
    },
    mentions: { value: { by: 'access', of: { app: 450, user: 300 } }, what: 'reads of mentions per 15 minutes' },
    follows: { value: 300, what: 'reads of followers, and of followed, per 15 minutes' },
    posts: { value: 100, what: 'new posts per 15 minutes and user' },
    appPostsPerDay: { value: 10_000, what: 'new posts per 24 hours of the app, over all users' },
    deletes: { value: 50, what: 'deleted posts per 15 minutes and user' },
    likes: { value: 50, what: 'likes per 15 minutes and user' },
    likesPerDay: { value: 1_000, what: 'likes per 24 hours and user' },
    messages: { value: 15, what: 'direct messages per 15 minutes and user, for each of the three ways to send them' },
    messagesPerDay: { value: 1_440, what: 'direct messages per 24 hours of the app, and of a user' },
  },
  contract: ({ access, ...numbers }) => {
    const whose = access === 'user' ? ['user'] : [];
    const window = (route: string, limit: number) =>
      slidingWindow({ name: route, limit, per: '15m', countedBy: whose, routes: [route] });
    return {
      http: { baseURL: 'https://api.x.com/2' },
      dimensions: ['user'],
      routes: {
        search: 'GET /tweets/search/recent',
        lookup: 'GET /tweets',
        post: 'GET /tweets/:id',
        users: 'GET /users',
        'users-by': 'GET /users/by',
        'user-by-name': 'GET /users/by/username/:username',
        user: 'GET /users/:id',
        timeline: 'GET /users/:id/tweets',
        mentions: 'GET /users/:id/mentions',
        followers: 'GET /users/:id/followers',
        following: 'GET /users/:id/following',
        'post-create': 'POST /tweets',
        'post-delete': 'DELETE /tweets/:id',
        like: 'POST /users/:id/likes',
        message: 'POST /dm_conversations/with/:participant_id/messages',
        'message-to': 'POST /dm_conversations/:dm_conversation_id/messages',
        'message-new': 'POST /dm_conversations',
      },
      limits: [
        window('search', numbers.searches),
        window('lookup', numbers.postLookups),
        window('post', numbers.postReads),
        ...['users', 'users-by', 'user-by-name', 'user'].map((route) => window(route, numbers.userReads)),
        window('timeline', numbers.timelines),
        window('mentions', numbers.mentions),
        ...['followers', 'following'].map((route) => window(route, numbers.follows)),
        window('post-create', numbers.posts),
        slidingWindow({
          name: 'app-day',
          limit: numbers.appPostsPerDay,
          per: '24h',
          countedBy: [],
          routes: ['post-create'],
        }),
        window('post-delete', numbers.deletes),
        window('like', numbers.likes),
        slidingWindow({ name: 'like-day', limit: numbers.likesPerDay, per: '24h', countedBy: whose, routes: ['like'] }),
        ...['message', 'message-to', 'message-new'].flatMap((route) => [
          window(route, numbers.messages),
          slidingWindow({
            name: `${route}-day`,
            limit: numbers.messagesPerDay,
            per: '24h',
            countedBy: [],
            routes: [route],
          }),
        ]),
      ],
      reading: {
        scopes: { 'app:day': 'app-day' },
        windows: [
          {
            ...family('x-rate-limit'),
            reset: { from: 'x-rate-limit-reset', as: 'epoch-seconds' },
            windowSeconds: 900,
          },
          day('user'),
          day('app'),
        ],
        rules: RULES,
      },
    };
  },
  notes: {
    refused: [
      '429 with `errors[].code` 88, or a problem of type `.../rate-limit-exceeded`, or one of type `about:blank`',
      '429 with a problem of type `.../usage-capped`: what was paid for is used up; the figures of the limits have room, and no wait of theirs helps',
      '403 with `errors[].code` 185 of the older API: no new posts for this user today',
    ],
    told: [
      '`x-rate-limit-limit`, `-remaining`, `-reset` (mind the hyphen): of the endpoint that was called; the reset in seconds since 1970',
      '`x-user-limit-24hour-*` and `x-app-limit-24hour-*` on new posts: the same of 24 hours',
      'no `Retry-After`',
    ],
    resend: ['a 429 has not been done: safe to send again', '`usage-capped` is not another the next time'],
    traps: [
      'each endpoint has its limits; the contract holds the most used of them, the others are read from the answers',
      'with the token of the app nothing is counted by user, and it cannot write: what only users may do is in the contract all the same',
      'streams are limited by their connections, which the contract does not hold',
      'full-archive search has one call a second besides',
      'Enterprise has numbers of its own',
    ],
    unconfirmed: [
      'the headers of 24 hours: read by many public clients, not documented',
      'the 403 with code 185: from the documentation of the older API, not looked at again',
    ],
  },
  webhooks: [
    {
      signatureHeader: 'x-twitter-webhooks-signature',
      signed: 'raw body',
      algorithm: 'hmac-sha256',
      encoding: 'base64',
      tolerance: null,
    },
  ],
});
