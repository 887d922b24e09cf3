import type { QuotaView, SimulatedAnswer, SimulatedRequest, SimulatorOptions } from 'nestjs-sluice/testing';

const MINUTE_MS = 60_000;
const LETTERS_PER_TOKEN = 4;

interface Chat {
  readonly model: string;
  readonly messages: readonly { readonly content: string }[];
  readonly max_completion_tokens?: number;
}

const chatOf = ({ body }: SimulatedRequest): Chat => body as Chat;
const modelOf = (request: SimulatedRequest): string => chatOf(request).model;

/** What a call may use: it is charged so when it comes. */
function announced(request: SimulatedRequest): number {
  const { messages, max_completion_tokens: most = 0 } = chatOf(request);
  return Math.ceil(lettersOf(messages) / LETTERS_PER_TOKEN) + most;
}

const used = (_: SimulatedRequest, { body }: SimulatedAnswer): number =>
  (body as { readonly usage: { readonly total_tokens: number } }).usage.total_tokens;

/** OpenAI: calls and tokens a minute for each model, in buckets that fill all the time; tokens are corrected to what was used. */
export function openai({ perMinute = 5_000, tokensPerMinute = 1_000_000 } = {}): SimulatorOptions {
  const bucket = { kind: 'token-bucket', perMs: MINUTE_MS, partition: modelOf } as const;
  return {
    limits: [
      { ...bucket, name: 'requests', burst: perMinute, limit: perMinute },
      {
        ...bucket,
        name: 'tokens',
        burst: tokensPerMinute,
        limit: tokensPerMinute,
        cost: announced,
        actualCost: used,
      },
    ],
    latencyMs: 2_000,
    routes: { 'POST /v1/chat/completions': completed },
    refusal: { body: { error: { type: 'tokens', code: 'rate_limit_exceeded', message: 'Rate limit reached' } } },
    quotaHeaders: told,
  };
}

/** Half of the tokens that it may write, and a tenth less than announced for what it read. */
function completed(request: SimulatedRequest): SimulatedAnswer {
  const { model, messages, max_completion_tokens: most = 0 } = chatOf(request);
  const prompt = Math.ceil((lettersOf(messages) / LETTERS_PER_TOKEN) * 0.9);
  const completion = Math.ceil(most / 2);
  const usage = { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
  return { status: 200, body: { object: 'chat.completion', model, choices: [], usage } };
}

function told({ limits }: QuotaView): Record<string, string> {
  return Object.fromEntries(
    limits.flatMap(({ name, limit, remaining, resetUs }) => [
      [`x-ratelimit-limit-${name}`, String(limit)],
      [`x-ratelimit-remaining-${name}`, String(remaining)],
      [`x-ratelimit-reset-${name}`, goDuration(Math.ceil((resetUs ?? 0) / 1_000))],
    ]),
  );
}

/** As Go writes durations: `12ms`, `1.5s`, `6m0s`. */
export function goDuration(ms: number): string {
  if (ms === 0) return '0s';
  if (ms < 1_000) return `${ms}ms`;
  const minutes = Math.floor(ms / MINUTE_MS);
  const seconds = `${(ms % MINUTE_MS) / 1_000}s`;
  return minutes === 0 ? seconds : `${minutes}m${seconds}`;
}

const lettersOf = (messages: Chat['messages']): number =>
  messages.reduce((sum, { content }) => sum + content.length, 0);
