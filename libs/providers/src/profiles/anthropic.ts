import { tokenBucket } from '../../../core/src/index.js';
import { family, type Rules } from '../fields.js';
import { profile } from '../profile.js';
import { fieldsOf, figureOf, writtenTokens } from '../tokens.js';

const RULES: Rules = [
  {
    when: { status: 429, body: { 'error.details.error_code': 'enforced_spend_limit_reached' } },
    retryable: false,
    kind: 'spend',
    scope: 'monthly-spend',
  },
  {
    // The limit that the organisation or the workspace has set itself.
    when: {
      status: 400,
      body: { 'error.message': { matches: '^You have reached your specified .*usage limits' } },
    },
    limited: true,
    retryable: false,
    kind: 'spend',
    scope: 'own-spend-limit',
  },
];

export const ANTHROPIC = profile({
  name: 'anthropic',
  title: 'Anthropic',
  sources: [
    { url: 'https://platform.claude.com/docs/en/api/rate-limits', checked: '2026-11-30' },
    { url: 'https://platform.claude.com/docs/en/api/errors', checked: '2026-11-30' },
    {
      url: 'https://learn.microsoft.com/en-us/microsoft-cloud/dev/dev-proxy/concepts/anthropic-529-overloaded-error',
      checked: '2026-11-30',
    },
  ],
  choices: {
    tier: { values: ['start', 'build', 'scale'], value: 'start', what: 'usage tier of the organisation' },
  },
  numbers: {
    perMinute: {
      value: { by: 'tier', of: { start: 1_000, build: 5_000, scale: 10_000 } },
      what: 'calls a minute and class of models: Opus, Sonnet and Haiku alike',
      unconfirmed: true,
    },
    inputTokensPerMinute: {
      value: { by: 'tier', of: { start: 2_000_000, build: 5_000_000, scale: 10_000_000 } },
      what: 'input tokens a minute and class of models, those read from a cache left out',
      unconfirmed: true,
    },
    outputTokensPerMinute: {
      value: { by: 'tier', of: { start: 400_000, build: 1_000_000, scale: 2_000_000 } },
      what: 'output tokens a minute and class of models',
      unconfirmed: true,
    },
    answerSeconds: { value: 600, what: 'seconds that an answer may take; the time limit of its SDK' },
  },
  contract: ({ perMinute, inputTokensPerMinute, outputTokensPerMinute, answerSeconds }) => ({
    http: { baseURL: 'https://api.anthropic.com' },
    dimensions: ['model'],
    routes: { messages: 'POST /v1/messages' },
    limits: [
      tokenBucket({ name: 'requests', burst: perMinute, limit: perMinute, per: '1m', routes: ['messages'] }),
      tokenBucket({
        name: 'input-tokens',
        unit: 'input-tokens',
        burst: inputTokensPerMinute,
        limit: inputTokensPerMinute,
        per: '1m',
        routes: ['messages'],
      }),
      tokenBucket({
        name: 'output-tokens',
        unit: 'output-tokens',
        burst: outputTokensPerMinute,
        limit: outputTokensPerMinute,
        per: '1m',
        routes: ['messages'],
      }),
    ],
    // Nothing is kept of a message: sent again it only costs again.
    safe: ['GET *', 'HEAD *', 'OPTIONS *', 'POST /v1/messages', 'POST /v1/messages/count_tokens'],
    units: ({ body }) => {
      const fields = fieldsOf(body);
      // What asks for more than a minute has may still use less.
      return {
        'input-tokens': Math.min(inputTokensPerMinute, writtenTokens(fields)),
        'output-tokens': Math.min(outputTokensPerMinute, figureOf(fields, 'max_tokens') ?? 1),
      };
    },
    settleUnits: ({ body }) => {
      const usage = fieldsOf(fieldsOf(body)['usage']);
      const input = figureOf(usage, 'input_tokens');
      const output = figureOf(usage, 'output_tokens');
      if (input === null || output === null) return undefined;
      return { 'input-tokens': input + (figureOf(usage, 'cache_creation_input_tokens') ?? 0), 'output-tokens': output };
    },
    timeouts: { attempt: `${answerSeconds}s`, total: `${answerSeconds + 300}s` },
    reading: {
      scopes: { requests: 'requests', 'input-tokens': 'input-tokens', 'output-tokens': 'output-tokens' },
      windows: ['requests', 'tokens', 'input-tokens', 'output-tokens'].map((scope) => ({
        ...family(`anthropic-ratelimit-${scope}`, scope),
        reset: { from: `anthropic-ratelimit-${scope}-reset`, as: 'date' },
        unit: scope,
      })),
      rules: RULES,
    },
  }),
  notes: {
    refused: [
      '429 `rate_limit_error` with `Retry-After`: a limit of a minute, or traffic that grew too fast',
      '429 `rate_limit_error` with `error.details.error_code` `enforced_spend_limit_reached` and without `Retry-After`: the money of the month is spent, until 00:00 UTC of the first of the next',
      '400 `invalid_request_error`, `You have reached your specified API usage limits`: the limit that you set yourself, for the organisation or a workspace',
      '529 `overloaded_error`: the provider has no room, whoever asks; this is no limit',
    ],
    told: [
      '`anthropic-ratelimit-requests-*`, `-input-tokens-*`, `-output-tokens-*` with `limit`, `remaining`, `reset`; tokens left are rounded to thousands, resets are RFC 3339 dates at which the bucket is full',
      '`anthropic-ratelimit-tokens-*` tell of the tightest limit of tokens, a workspace included, and slow nothing down',
      '`Retry-After` in seconds; earlier retries fail',
    ],
    cost: [
      'before: a quarter of the letters of the body, files left out, as input, and `max_tokens` as output',
      'after: `usage.input_tokens` and `cache_creation_input_tokens`, and `usage.output_tokens`; an answer that is streamed stays as charged',
      'Anthropic counts output as it is written, never `max_tokens`: where yours are far above what is used, give a `units` of your own',
      'what is read from a cache is free, but with Haiku 3.5',
    ],
    resend: [
      'a refused call has not reached the model: safe to send again',
      'what failed for money is not another the next time',
      'a message keeps nothing, and is sent again after 529 and failures; each costs again',
    ],
    traps: [
      'limits are per class of models, as the partition `model` of the call names it; Fable has lower ones: 1,000 calls, 500,000 and 100,000 tokens at the lowest tier',
      'new organisations may begin below the lowest tier',
      'limits of a minute may be enforced by the second',
      'batches, counting of tokens, fast mode (`anthropic-fast-*`) and the priority tier (`anthropic-priority-*`) have limits of their own, which are not in the contract',
    ],
    unconfirmed: [
      'numbers of the tiers: quoted alike in four places from the page between August and October 2026; of the page itself only the older numbers were seen',
    ],
  },
});
