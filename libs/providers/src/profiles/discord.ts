import { slidingWindow } from '../../../core/src/index.js';
import { family, X_RATELIMIT } from '../fields.js';
import { profile } from '../profile.js';

/** Resources that Discord counts each by itself; and messages, which have a bucket of their own in each channel. */
const PARTS = ['message', 'channel', 'guild', 'webhook'] as const;

const bucket = {
  ...family(X_RATELIMIT),
  reset: { from: 'x-ratelimit-reset', as: 'epoch-seconds' },
  resetAfter: 'x-ratelimit-reset-after',
} as const;

export const DISCORD = profile({
  name: 'discord',
  title: 'Discord',
  sources: [
    {
      url: 'https://github.com/discord/discord-api-docs/blob/main/developers/topics/rate-limits.mdx',
      checked: '2026-11-30',
    },
    { url: 'https://discord.com/developers/docs/interactions/overview', checked: '2026-09-30' },
  ],
  choices: {},
  numbers: {
    perSecond: { value: 50, what: 'calls a second of the bot; no channel, guild or webhook can take more' },
  },
  contract: ({ perSecond }) => {
    const of = (part: string, countedBy: string) =>
      slidingWindow({ name: part, limit: perSecond * 60, per: '1m', countedBy: [countedBy], routes: [part] });
    return {
      http: { baseURL: 'https://discord.com/api/v10' },
      dimensions: ['channel', 'guild', 'webhook'],
      routes: {
        message: 'POST /channels/:channel/messages',
        channel: '* /channels/:channel{/*path}',
        guild: '* /guilds/:guild{/*path}',
        webhook: '* /webhooks/:webhook{/*path}',
      },
      limits: [
        slidingWindow({ name: 'global', limit: perSecond, per: '1s', countedBy: [] }),
        // Discord wants no number of these written down. What their answers tell holds, within the minute until its reset, and
        // until then no more than the bot's own rate.
        of('message', 'channel'),
        of('channel', 'channel'),
        of('guild', 'guild'),
        of('webhook', 'webhook'),
      ],
      reading: {
        scopes: { global: 'global', ...Object.fromEntries(PARTS.map((part) => [part, part])) },
        waits: ['retry-after', { from: { body: 'retry_after' }, as: 'seconds' }],
        pickWait: 'longest',
        windows: [
          { ...bucket, scope: { from: 'x-ratelimit-bucket', prefix: 'bucket:' } },
          // The same once more for each limit: a figure is applied to the one of them that the route has.
          ...PARTS.map((part) => ({ ...bucket, scope: part })),
        ],
        rules: [
          { when: { headers: { 'x-ratelimit-scope': 'global' } }, scope: 'global' },
          {
            when: { headers: { 'x-ratelimit-scope': 'shared' } },
            scope: { from: 'x-ratelimit-bucket', prefix: 'shared:' },
          },
        ],
      },
    };
  },
  notes: {
    refused: [
      '429 with `{ "message", "retry_after", "global" }`',
      '`X-RateLimit-Scope` tells whose limit it was: `user` (the bot), `global`, or `shared` (the resource)',
      'a 429 in HTML comes from Cloudflare: the address is banned for a while',
    ],
    told: [
      '`X-RateLimit-Limit`, `-Remaining`, `-Reset` (seconds since 1970, with a fraction), `-Reset-After` (seconds from now), `-Bucket`',
      '`Retry-After` in whole seconds, `retry_after` in the body with a fraction',
      'the figures of routes for emojis may be wrong',
    ],
    resend: [
      'a 429 has not been done: safe to send again',
      'there are no keys of idempotency; a message may carry a `nonce` with `enforce_nonce`',
    ],
    traps: [
      'routes of one channel are several buckets; here they are two, messages that are posted and the rest: the rest waits for its slowest',
      'calls need `channel`, `guild` or `webhook` in their partition, by their path',
      'calls of interactions and others without such a path have no limit here but the global one, from which interactions are free',
      '10,000 answers with 401, 403 or 429 in ten minutes ban the address; a 429 with scope `shared` does not count',
    ],
  },
  webhooks: [
    {
      signatureHeader: 'x-signature-ed25519',
      timestampHeader: 'x-signature-timestamp',
      signed: 'timestamp + body',
      algorithm: 'ed25519',
      encoding: 'hex',
      tolerance: null,
      unconfirmed: true,
    },
  ],
});
