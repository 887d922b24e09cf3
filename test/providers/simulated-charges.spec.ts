// The example of docs/guides/testing.md that stands in for a provider with costs known afterwards and a penalty, run as it is printed.
import { readFileSync } from 'node:fs';
import axios from 'axios';
import { ProviderSimulator, VirtualClock } from 'nestjs-sluice/testing';
import ts from 'typescript';

const EXAMPLE = [...readFileSync('docs/guides/testing.md', 'utf8').matchAll(/^```ts\n([\s\S]*?)^```/gm)]
  .map(([, code]) => code as string)
  .find((code) => code.includes('actualCost'));

function printed(): ProviderSimulator {
  const { outputText } = ts.transpileModule(EXAMPLE ?? '', { compilerOptions: { target: ts.ScriptTarget.ES2022 } });
  const make = new Function('ProviderSimulator', `${outputText}; return provider;`) as (
    kind: typeof ProviderSimulator,
  ) => ProviderSimulator;
  return make(ProviderSimulator);
}

function client() {
  const clock = new VirtualClock();
  const provider = printed();
  const http = axios.create({ adapter: provider.transport(clock), validateStatus: () => true });
  return { clock, provider, ask: (most: number) => http.post('https://api.example/messages', { most }) };
}

test('what was announced must fit, and what it did cost stays charged from the answer on', async () => {
  const { clock, ask } = client();
  const first = ask(800);
  const early = ask(400);
  await clock.advance(400);
  expect([(await first).status, (await early).status]).toEqual([200, 429]);
  // 800 announced, 200 written: 800 more fit, and not one above.
  const over = ask(804);
  const next = ask(800);
  await clock.advance(400);
  expect([(await over).status, (await next).status]).toEqual([429, 200]);
});

test('an answer of a script that says nothing costs nothing; where none leaves, the charge stays', async () => {
  const { clock, provider, ask } = client();
  provider.play([503]);
  expect((await clock.advanceUntil(ask(1_000))).status).toBe(503);
  provider.faults = { reset: 'after' };
  await expect(clock.advanceUntil(ask(1_000))).rejects.toThrow();
  provider.faults = {};
  expect((await clock.advanceUntil(ask(4))).status).toBe(429);
});

test('one call too many, and all are refused for 30 seconds, which further ones do not prolong', async () => {
  const { clock, ask } = client();
  const burst = Promise.all([1, 2, 3, 4, 5, 6].map(() => ask(4)));
  await clock.advance(400);
  const answers = await burst;
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429]);
  expect(answers[5]?.headers['retry-after']).toBe('1');
  expect((await ask(4)).headers['retry-after']).toBe('30');
  await clock.advance(29_599);
  expect((await ask(4)).status).toBe(429);
  await clock.advance(1);
  expect((await clock.advanceUntil(ask(4))).status).toBe(200);
});
