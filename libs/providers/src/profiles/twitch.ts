import { tokenBucket } from '../../../core/src/index.js';
import { family } from '../fields.js';
import { profile } from '../profile.js';

export const TWITCH = profile({
  name: 'twitch',
  title: 'Twitch',
  sources: [
    { url: 'https://dev.twitch.tv/docs/api/guide/', checked: '2026-09-30' },
    { url: 'https://dev.twitch.tv/docs/eventsub/handling-webhook-events', checked: '2026-09-30' },
    { url: 'https://github.com/twitchdev/issues/issues/844', checked: '2026-11-30' },
  ],
  choices: {},
  numbers: {
    perMinute: {
      value: 800,
      what: 'points a minute of a client, and of each of its users: one of most calls',
      unconfirmed: true,
    },
  },
  contract: ({ perMinute }) => ({
    http: { baseURL: 'https://api.twitch.tv/helix' },
    // Calls with the token of the app name no user, and have a bucket of their own.
    dimensions: ['user'],
    limits: [tokenBucket({ name: 'minute', burst: perMinute, limit: perMinute, per: '1m' })],
    reading: {
      scopes: { 'client+user': 'minute' },
      windows: [{ ...family('ratelimit', 'client+user'), reset: { from: 'ratelimit-reset', as: 'epoch-seconds' } }],
      rules: [
        // The bucket has points: an endpoint has a limit of its own.
        { when: { status: 429, remaining: 'some' }, kind: 'rate', scope: 'endpoint' },
        // A 403 is no limit, though it may have emptied the bucket.
        { when: { status: 403 }, means: 'rejected' },
      ],
    },
  }),
  notes: {
    refused: [
      '429 with `Ratelimit-Remaining: 0`',
      '429 with points left: an endpoint has a limit of its own, such as bans in one channel',
    ],
    told: [
      '`Ratelimit-Limit`: points added a minute; `Ratelimit-Remaining`: points in the bucket',
      '`Ratelimit-Reset`: seconds since 1970, when the bucket is full again; the IETF field of that name counts from now',
      'no `Retry-After`',
    ],
    cost: ['one point, where the page of an endpoint does not tell another number'],
    resend: ['a 429 has not been done: safe to send again'],
    traps: [
      'the wait for a full bucket is longer than the one for a single point',
      'limits of single endpoints are hardly documented and not in the contract',
      'chat over IRC has other limits',
    ],
    unconfirmed: ['800 points: quoted from the guide by several, not seen in the part of it that could be read'],
  },
  webhooks: [
    {
      signatureHeader: 'twitch-eventsub-message-signature',
      timestampHeader: 'twitch-eventsub-message-timestamp',
      signed: 'twitch-eventsub-message-id + twitch-eventsub-message-timestamp + body',
      algorithm: 'hmac-sha256',
      encoding: 'hex',
      tolerance: '10m',
      unconfirmed: true,
    },
  ],
});
