import { Harness } from './harness.fixture.js';

const failing = (): never => {
  throw new Error('of the SDK');
};
const write = (harness: Harness, answer: unknown): Promise<unknown> =>
  harness.runtime.run(failing, { answer: answer as never }).catch((error: unknown) => error);

test.each([
  ['a promise', async () => ({ status: 422 })],
  ['a promise that fails', () => Promise.reject(new Error('of the hook'))],
  ['a number', () => 422],
  ['a status that is a text', () => ({ status: '422' })],
  ['a status that is no number', () => ({ status: NaN })],
  ['the status of an answer that never came', () => ({ status: 0 })],
])(
  'laws 7 and 13: an `answer` that gives %s tells nothing, so that the write may have happened, and is reported',
  async (_, answer) => {
    const harness = new Harness();
    expect(await write(harness, answer)).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    expect(harness.ofType('hook-failed')).toMatchObject([{ hook: 'answer', error: 'TypeError' }]);
    await harness.expectNothingLeft();
  },
);

test.each([
  ['Headers', new Headers({ 'Retry-After': '2' })],
  ['a map', new Map([['Retry-After', '2']])],
  ['a list of pairs', [['Retry-After', '2']]],
])('the wait that stands in %s is kept', async (_, headers) => {
  const harness = new Harness();
  const times: number[] = [];
  const run = harness.runtime.run(
    () => {
      times.push(harness.clock.monoMs());
      return times.length;
    },
    { answer: (result) => ({ status: result === 1 ? 429 : 200, headers: headers as Headers }) },
  );
  await harness.clock.advance(60_000);
  expect(await run).toBe(2);
  expect(times).toEqual([0, 2_000]);
  await harness.expectNothingLeft();
});
