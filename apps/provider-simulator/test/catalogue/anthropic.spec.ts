import { anthropic } from 'nestjs-sluice/providers';
import { anthropic as standIn } from '../../src/catalogue/anthropic.js';
import { expectFull, only, run, times } from './run.fixture.js';

const NUMBERS = { perMinute: 200, inputTokensPerMinute: 120_000, outputTokensPerMinute: 40_000 };

const messages = (count: number, model: string, letters: number, most: number) =>
  times(count, () => ({
    method: 'POST',
    url: '/v1/messages',
    data: { model, messages: [{ role: 'user', content: 'x'.repeat(letters) }], max_tokens: most },
    sluice: { partition: { model } },
  }));

test('Anthropic: two classes of models, held up by calls and by input', async () => {
  const all = await run((settings) => anthropic({ ...settings, ...NUMBERS }), standIn(NUMBERS), [
    ...messages(1_130, 'haiku', 40, 100),
    ...messages(640, 'sonnet', 4_400, 100),
  ]);
  const of = (model: string) => only(all, ({ body }) => (body as { model: string }).model === model);
  // 200 calls at once, then 200 a minute.
  expectFull(of('haiku'), ((1_130 - 200) / 200) * 60_000);
  // Each reads 1,100 tokens: 120,000 of them at once, then as many a minute.
  expectFull(of('sonnet'), ((640 * 1_100 - 120_000) / 120_000) * 60_000);
});

test('Anthropic: a class of models whose calls write half of what they may', async () => {
  const all = await run(
    (settings) => anthropic({ ...settings, ...NUMBERS }),
    standIn(NUMBERS),
    messages(630, 'opus', 400, 800),
  );
  // Each writes 400 tokens: 40,000 of them at once, then as many a minute.
  expectFull(all, ((630 * 400 - 40_000) / 40_000) * 60_000);
});
