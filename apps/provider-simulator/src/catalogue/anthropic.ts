import type { QuotaView, SimulatedAnswer, SimulatedRequest, SimulatorOptions } from 'nestjs-sluice/testing';

const MINUTE_MS = 60_000;
const LETTERS_PER_TOKEN = 4;
const THOUSAND = 1_000;

interface Message {
  readonly model: string;
  readonly messages: readonly { readonly content: string }[];
  readonly max_tokens: number;
}

const messageOf = ({ body }: SimulatedRequest): Message => body as Message;
const modelOf = (request: SimulatedRequest): string => messageOf(request).model;

/** A stand-in counts exactly what it has read; this is a token of it. */
const inputOf = (request: SimulatedRequest): number =>
  Math.ceil(messageOf(request).messages.reduce((sum, { content }) => sum + content.length, 0) / LETTERS_PER_TOKEN);

const outputOf = (_: SimulatedRequest, { body }: SimulatedAnswer): number =>
  (body as { readonly usage: { readonly output_tokens: number } }).usage.output_tokens;

/**
 * Anthropic: calls, input and output tokens a minute for each class of models, in buckets that fill all the time. Of output
 * nothing is charged in advance: a call is refused when the bucket is empty, and what was written beyond is owed.
 */
export function anthropic({
  perMinute = 1_000,
  inputTokensPerMinute = 2_000_000,
  outputTokensPerMinute = 400_000,
} = {}): SimulatorOptions {
  const bucket = (name: string, limit: number) =>
    ({ kind: 'token-bucket', name, burst: limit, limit, perMs: MINUTE_MS, partition: modelOf }) as const;
  return {
    limits: [
      bucket('requests', perMinute),
      { ...bucket('input-tokens', inputTokensPerMinute), cost: inputOf },
      { ...bucket('output-tokens', outputTokensPerMinute), cost: () => 1, actualCost: outputOf },
    ],
    latencyMs: 3_000,
    routes: { 'POST /v1/messages': written },
    refusal: { body: { type: 'error', error: { type: 'rate_limit_error', message: 'Number of tokens has exceeded' } } },
    quotaHeaders: told,
  };
}

/** Half of what it may write. */
function written(request: SimulatedRequest): SimulatedAnswer {
  const { model, max_tokens: most } = messageOf(request);
  const usage = { input_tokens: inputOf(request), output_tokens: Math.ceil(most / 2) };
  return { status: 200, body: { type: 'message', model, content: [], usage } };
}

/** Tokens left are rounded to thousands; a reset is the date at which the bucket is full. */
function told({ limits, wallMs }: QuotaView): Record<string, string> {
  return Object.fromEntries(
    limits.flatMap(({ name, limit, remaining, resetUs }) => {
      const left = name === 'requests' ? remaining : Math.round(remaining / THOUSAND) * THOUSAND;
      const full = new Date(Math.ceil((wallMs + (resetUs ?? 0) / 1_000) / 1_000) * 1_000);
      const prefix = `anthropic-ratelimit-${name}`;
      return [
        [`${prefix}-limit`, String(limit)],
        [`${prefix}-remaining`, String(left)],
        [`${prefix}-reset`, full.toISOString().replace('.000Z', 'Z')],
      ];
    }),
  );
}
