import { openai } from 'nestjs-sluice/providers';
import type { SimulatorOptions } from 'nestjs-sluice/testing';
import { openai as standIn } from '../../src/catalogue/openai.js';
import { expectFull, only, run, type RunSettings, times } from './run.fixture.js';

const NUMBERS = { perMinute: 200, tokensPerMinute: 60_000 };

const chats = (count: number, model: string, letters: number, most: number) =>
  times(count, () => ({
    method: 'POST',
    url: '/v1/chat/completions',
    data: { model, messages: [{ role: 'user', content: 'x'.repeat(letters) }], max_completion_tokens: most },
    sluice: { partition: { model } },
  }));

const make = (settings: RunSettings) => openai({ ...settings, ...NUMBERS });

test('OpenAI: one model with many short calls, another whose calls use less than they announce', async () => {
  const all = await run(make, standIn(NUMBERS), [
    ...chats(2_390, 'small', 40, 20),
    ...chats(1_366, 'large', 2_000, 150),
  ]);
  const of = (model: string) => only(all, ({ body }) => (body as { model: string }).model === model);
  // 200 calls at once, then 200 a minute.
  expectFull(of('small'), ((2_390 - 200) / 200) * 60_000);
  // Each uses 450 and 75 tokens of the 650 that it announces: 60,000 of them at once, then as many a minute.
  expectFull(of('large'), ((1_366 * 525 - 60_000) / 60_000) * 60_000);
});

test.each(['none', 'told'])(
  'OpenAI: what the first calls have not used is used by the next, figures %s',
  async (how) => {
    const provider: SimulatorOptions = standIn(NUMBERS);
    const { tookMs, refused } = await run(
      make,
      how === 'told' ? provider : { ...provider, quotaHeaders: 'none' },
      chats(74, 'large', 2_000, 500),
    );
    expect([refused.length, tookMs < 10_000]).toEqual([0, true]);
  },
);
