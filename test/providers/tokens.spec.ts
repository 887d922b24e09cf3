import { isListedSafe } from '../../libs/core/src/contract/safety.js';
import type { ProviderContract, RequestView } from '../../libs/core/src/index.js';
import { anthropic, openai } from '../../libs/providers/src/index.js';

const request = (body: unknown): RequestView => ({
  method: 'POST',
  path: '/',
  query: {},
  headers: {},
  body,
  route: null,
});
const costOf = ({ resolved }: ProviderContract, body: unknown) => resolved.options.units?.(request(body));
const settledOf = ({ resolved }: ProviderContract, body: unknown) =>
  resolved.options.settleUnits?.({ status: 200, headers: {}, body, request: request(undefined) });

const cyclic: Record<string, unknown> = {};
cyclic['self'] = cyclic;

describe('what a call to a language model costs before it is answered', () => {
  const body = { model: 'm', input: 'x'.repeat(371), max_output_tokens: 500 };
  const written = JSON.stringify(body).length / 4;

  it('is a quarter of the letters of its body and the most that it allows the answer', () => {
    expect(costOf(openai(), body)).toEqual({ tokens: Math.ceil(written) + 500 });
  });

  it('is the same whether the body is an object or its text', () => {
    expect(costOf(openai(), JSON.stringify(body))).toEqual(costOf(openai(), body));
  });

  it('is told apart for input and output where both have a limit', () => {
    const message = { model: 'm', max_tokens: 1_024, messages: [{ role: 'user', content: 'y'.repeat(4_000) }] };
    expect(costOf(anthropic(), message)).toEqual({
      'input-tokens': Math.ceil(JSON.stringify(message).length / 4),
      'output-tokens': 1_024,
    });
  });

  it('leaves out images and documents, which are no text', () => {
    const file = 'A'.repeat(1_000_000);
    const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${file}` } };
    const source = { type: 'base64', media_type: 'image/png', data: file };
    for (const content of [image, { type: 'image', source }]) {
      const cost = costOf(openai(), { messages: [{ role: 'user', content: [content] }] });
      expect(cost?.['tokens']).toBeLessThan(50);
    }
  });

  it('is never more than a minute has, so that the call can start', () => {
    expect(costOf(openai({ tokensPerMinute: 900 }), { max_tokens: 100_000 })).toEqual({ tokens: 900 });
    const most = anthropic({ outputTokensPerMinute: 700, inputTokensPerMinute: 20 });
    expect(costOf(most, { max_tokens: 64_000, system: 'z'.repeat(500) })).toEqual({
      'input-tokens': 20,
      'output-tokens': 700,
    });
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a text that is no JSON', 'hello'],
    ['a list', [1, 2]],
    ['bytes', Buffer.from('{}')],
    ['an object that contains itself', cyclic],
    ['a limit of the answer that is no figure', { max_tokens: 'many' }],
    ['a limit of the answer below nothing', { max_tokens: -5 }],
  ])('of %s is small and known', (_, odd) => {
    for (const contract of [openai(), anthropic()]) {
      for (const cost of Object.values(costOf(contract, odd) ?? {})) {
        expect(cost).toBeGreaterThan(0);
        expect(cost).toBeLessThan(10);
      }
    }
  });
});

describe('what a call to a language model did cost', () => {
  it('is what the answer counts in all', () => {
    const usage = { prompt_tokens: 19, completion_tokens: 10, total_tokens: 29 };
    expect(settledOf(openai(), { usage })).toEqual({ tokens: 29 });
  });

  it('is input with what went into the cache, and without what came from it', () => {
    const usage = {
      input_tokens: 50,
      cache_creation_input_tokens: 248,
      cache_read_input_tokens: 100_000,
      output_tokens: 503,
    };
    expect(settledOf(anthropic(), { usage })).toEqual({ 'input-tokens': 298, 'output-tokens': 503 });
  });

  it.each([
    [undefined],
    [null],
    ['data: {}'],
    [{}],
    [{ usage: null }],
    [{ usage: { total_tokens: '9', input_tokens: 1 } }],
  ])('stays as charged where the answer %j does not tell', (body) => {
    expect(settledOf(openai(), body)).toBeUndefined();
    expect(settledOf(anthropic(), body)).toBeUndefined();
  });
});

describe('a call to a language model that failed', () => {
  it.each([
    [openai(), '/v1/chat/completions', true],
    [openai(), '/v1/embeddings', true],
    [openai(), '/v1/responses', false],
    [openai(), '/v1/batches', false],
    [anthropic(), '/v1/messages', true],
    [anthropic(), '/v1/messages/count_tokens', true],
    [anthropic(), '/v1/messages/batches', false],
  ])('is sent again where nothing is kept of it: %#', (contract, path, safe) => {
    expect(isListedSafe(contract.resolved, { ...request({}), path })).toBe(safe);
  });
});
