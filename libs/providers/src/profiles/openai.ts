import { slidingWindow } from '../../../core/src/index.js';
import { X_RATELIMIT, type Rules } from '../fields.js';
import { profile } from '../profile.js';
import { fieldsOf, figureOf, writtenTokens } from '../tokens.js';

/** Codes of a 429 that only money repairs. */
const SPENT = '^(insufficient_quota|credit_balance_exhausted|(organization|project)_(spend|usage)_limit_exceeded)$';

const RULES: Rules = [
  {
    when: { status: 429, body: { 'error.code': { matches: SPENT } } },
    retryable: false,
    kind: 'spend',
    scope: 'billing',
  },
  {
    when: { status: 429, body: { 'error.type': 'insufficient_quota' } },
    retryable: false,
    kind: 'spend',
    scope: 'billing',
  },
  { when: { status: 429, headers: { 'x-should-retry': false } }, retryable: false },
  { when: { status: 429, body: { 'error.code': 'slow_down' } }, kind: 'rate', scope: 'ramp' },
  { when: { status: 503, body: { 'error.code': 'slow_down' } }, means: 'overloaded' },
  { when: { status: [408, 409, 500, 502, 503, 504], headers: { 'x-should-retry': false } }, retryable: false },
];

export const OPENAI = profile({
  name: 'openai',
  title: 'OpenAI',
  sources: [
    { url: 'https://developers.openai.com/api/docs/guides/rate-limits', checked: '2026-09-30' },
    {
      url: 'https://help.openai.com/en/articles/5955604-troubleshooting-api-rate-limits-and-429-errors',
      checked: '2026-11-30',
    },
    {
      url: 'https://help.openai.com/en/articles/6614457-troubleshooting-api-usage-and-spend-limits',
      checked: '2026-11-30',
    },
    { url: 'https://github.com/openai/openai-node/blob/master/src/client.ts', checked: '2026-11-30' },
    {
      url: 'https://github.com/openai/openai-node/blob/master/src/resources/webhooks/webhooks.ts',
      checked: '2026-11-30',
    },
  ],
  choices: {
    tier: { values: ['build', 'launch', 'grow'], value: 'build', what: 'usage tier of the organisation' },
  },
  numbers: {
    perMinute: {
      value: { by: 'tier', of: { build: 5_000, launch: 10_000, grow: 15_000 } },
      what: 'calls a minute and model, as told of GPT-6.1-Sol',
      unconfirmed: true,
    },
    tokensPerMinute: {
      value: { by: 'tier', of: { build: 1_000_000, launch: 4_000_000, grow: 40_000_000 } },
      what: 'tokens a minute and model, as told of GPT-6.1-Sol',
      unconfirmed: true,
    },
    answerSeconds: { value: 600, what: 'seconds that an answer may take; the time limit of its SDK' },
  },
  contract: ({ perMinute, tokensPerMinute, answerSeconds }) => ({
    http: { baseURL: 'https://api.openai.com/v1' },
    dimensions: ['model'],
    limits: [
      slidingWindow({ name: 'requests', limit: perMinute, per: '1m' }),
      slidingWindow({ name: 'tokens', unit: 'tokens', limit: tokensPerMinute, per: '1m' }),
    ],
    // Nothing is kept of these: sent again they only cost again.
    safe: ['GET *', 'HEAD *', 'OPTIONS *', 'POST /chat/completions', 'POST /embeddings', 'POST /moderations'],
    units: ({ body }) => {
      const fields = fieldsOf(body);
      const most = figureOf(fields, 'max_completion_tokens', 'max_output_tokens', 'max_tokens') ?? 0;
      // What asks for more than a minute has may still use less.
      return { tokens: Math.min(tokensPerMinute, writtenTokens(fields) + most) };
    },
    settleUnits: ({ body }) => {
      const tokens = figureOf(fieldsOf(fieldsOf(body)['usage']), 'total_tokens');
      return tokens === null ? undefined : { tokens };
    },
    timeouts: { attempt: `${answerSeconds}s`, total: `${answerSeconds + 300}s` },
    reading: {
      scopes: { requests: 'requests', tokens: 'tokens' },
      waits: [{ from: 'retry-after-ms', as: 'milliseconds' }, 'retry-after'],
      windows: [
        ['requests', 'requests'] as const,
        ['tokens', 'tokens'] as const,
        ['project-tokens', 'tokens'] as const,
      ].map(([scope, unit]) => ({
        scope,
        unit,
        limit: `${X_RATELIMIT}-limit-${scope}`,
        remaining: `${X_RATELIMIT}-remaining-${scope}`,
        // Durations such as 6m0s; a bare number, as Azure sends it, is seconds.
        reset: { from: `${X_RATELIMIT}-reset-${scope}`, as: 'seconds' },
      })),
      rules: RULES,
    },
  }),
  notes: {
    refused: [
      '429 with `error.code` `rate_limit_exceeded`: too many calls or tokens',
      '429 with `error.code` `slow_down`: traffic grew too fast, though all limits had something left; older endpoints say it with 503',
      '429 with `error.type` `insufficient_quota` and one of `credit_balance_exhausted`, `organization_spend_limit_exceeded`, `project_spend_limit_exceeded`, `organization_usage_limit_exceeded` as `error.code`: no money is left, and no wait helps',
      '503 with `server_is_overloaded`: the provider has no room, whoever asks',
    ],
    told: [
      '`x-ratelimit-limit-requests`, `-remaining-requests`, `-reset-requests`, and the same of `tokens` and `project-tokens`; resets are durations: `12ms`, `1s`, `6m0s`',
      '`Retry-After` in seconds, `retry-after-ms` in milliseconds, where there is one',
      '`x-should-retry: false` beats the status',
    ],
    cost: [
      'before: a quarter of the letters of the body, files left out, and the most tokens that it allows the answer',
      'after: `usage.total_tokens`; an answer that is streamed stays as charged',
      'OpenAI itself counts the greater of the two in advance, and failed calls too',
    ],
    resend: [
      'a refused call has not reached the model: safe to send again',
      'no answer to a 429 about money is another the next time',
      'chat completions, embeddings and moderations keep nothing, and are sent again after failures; each costs again',
    ],
    traps: [
      'the numbers differ from model to model, and some models share theirs: give your own with `perMinute` and `tokensPerMinute`',
      'limits a day, of images and of sounds are in no header and not in the contract',
      'limits of a minute may be enforced by the second',
      'Azure OpenAI tells -1 and 0 where it knows no figures: they are not read',
    ],
    unconfirmed: [
      'numbers of the tiers: quoted on 2026-10-08 from the page of GPT-6.1-Sol, the page itself was not seen',
      'whether what a call did not use is given back within the minute',
    ],
  },
  webhooks: [
    {
      signatureHeader: 'webhook-signature',
      timestampHeader: 'webhook-timestamp',
      signed: 'webhook-id.webhook-timestamp.body',
      algorithm: 'hmac-sha256',
      encoding: 'base64',
      tolerance: '5m',
    },
  ],
});
