import { type LimitOptions, slidingWindow } from '../../../core/src/index.js';
import { profile } from '../profile.js';
import { HISTORY_METHODS, MANY, METHODS_BY_TIER, READ_METHODS } from './slack-methods.js';

/** Methods of a tier have the same number, and each counts by itself. */
const ofTier = (methods: readonly string[], limit: number): LimitOptions[] =>
  methods.map((name) => slidingWindow({ name, limit, per: '1m', countedBy: ['workspace'], routes: [name] }));

const routeOf = (method: string): [string, string] => [method, `* /${method}`];

export const SLACK = profile({
  name: 'slack',
  title: 'Slack',
  sources: [
    { url: 'https://docs.slack.dev/apis/web-api/rate-limits', checked: '2026-11-30' },
    {
      url: 'https://github.com/slackapi/java-slack-sdk/blob/main/slack-api-client/src/main/java/com/slack/api/methods/MethodsRateLimits.java',
      checked: '2026-11-30',
    },
    { url: 'https://github.com/slackapi/bolt-js/blob/main/src/receivers/verify-request.ts', checked: '2026-09-30' },
  ],
  choices: {
    app: {
      values: ['internal', 'marketplace', 'other'],
      value: 'internal',
      what: '`other` is sold or shared, and not in the Slack Marketplace: it reads history once a minute',
    },
  },
  numbers: {
    tier2: {
      value: 20,
      what: 'calls a minute of each method of tier 2, in each workspace; Slack promises at least so many',
    },
    tier3: { value: 50, what: 'calls a minute of each method of tier 3, in each workspace' },
    tier4: { value: 100, what: 'calls a minute of each method of tier 4, and of all that are not listed together' },
    many: { value: 600, what: 'calls a minute of `auth.test` and `chat.getPermalink`: "hundreds"', unconfirmed: true },
    historyPerMinute: {
      value: { by: 'app', of: { internal: 50, marketplace: 50, other: 1 } },
      what: 'calls a minute of `conversations.history`, and as many of `conversations.replies`',
    },
    messagesPerSecond: { value: 1, what: 'messages a second and channel' },
  },
  contract: ({ tier2, tier3, tier4, many, historyPerMinute, messagesPerSecond }) => ({
    http: { baseURL: 'https://slack.com/api' },
    dimensions: ['workspace', 'channel'],
    routes: {
      'chat.postMessage': '* /chat.postMessage',
      ...Object.fromEntries([...HISTORY_METHODS, ...MANY, ...Object.values(METHODS_BY_TIER).flat()].map(routeOf)),
      other: '* /:method',
    },
    // Slack takes writes by GET as well: only what is known to read is safe.
    safe: READ_METHODS,
    limits: [
      slidingWindow({
        name: 'chat.postMessage',
        limit: messagesPerSecond,
        per: '1s',
        routes: ['chat.postMessage'],
      }),
      ...ofTier(HISTORY_METHODS, historyPerMinute),
      ...ofTier(METHODS_BY_TIER.tier2, tier2),
      ...ofTier(METHODS_BY_TIER.tier3, tier3),
      ...ofTier(METHODS_BY_TIER.tier4, tier4),
      ...ofTier(MANY, many),
      ...ofTier(['other'], tier4),
    ],
    reading: {
      rules: [
        { when: { body: { ok: false, error: 'ratelimited' } }, limited: true, kind: 'rate', scope: 'method+workspace' },
        { when: { status: 429 }, kind: 'rate', scope: 'method+workspace' },
        {
          when: {
            body: {
              ok: false,
              error: { matches: '^(?:internal_error|fatal_error|service_unavailable|request_timeout)$' },
            },
          },
          means: 'failed',
        },
        { when: { body: { ok: false, error: 'token_expired' } }, means: 'unauthorized' },
      ],
    },
  }),
  notes: {
    refused: [
      '429 with `Retry-After`; the body is `{ "ok": false, "error": "ratelimited" }`, which was seen under a 200 too',
      'a refusal is for one method in one workspace: the others go on',
    ],
    told: ['`Retry-After` in whole seconds; no figures of what is left'],
    resend: [
      'a 429 has not been done: safe to send again',
      'errors come under 200 as `ok: false`; after `internal_error` and `fatal_error` a part may have been done',
      'there are no keys of idempotency: a message that may have been sent is not sent again',
    ],
    traps: [
      '`chat.postMessage` needs `channel` in its partition, everything else `workspace` alone',
      'a workspace takes some hundreds of messages a minute in all, a number that Slack does not publish',
      'bursts above a tier are often let through, and never promised; lists without `limit` and cursor are refused sooner',
      'methods that are not listed share one limit and one pause: add them as a route and, by `limits: (known) => [...known, ...]`, a limit of your own',
      'an app that goes on posting while refused can be disabled',
      'incoming webhooks have another address, https://hooks.slack.com, and take one message a second',
    ],
    unconfirmed: ['that `ratelimited` comes under a 200'],
  },
  webhooks: [
    {
      signatureHeader: 'x-slack-signature',
      timestampHeader: 'x-slack-request-timestamp',
      signed: '`v0:timestamp:body`; the signature begins with `v0=`',
      algorithm: 'hmac-sha256',
      encoding: 'hex',
      tolerance: '5m',
    },
  ],
});
