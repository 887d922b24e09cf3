import type { CallOptions } from './call.js';
import { Harness } from './harness.fixture.js';

const misspelt = { lanes: 'interactive' } as CallOptions;

test('law 13: an option that no call has refuses it unsent, and is named without its value', () => {
  const harness = new Harness({ script: '200' });
  expect(() => harness.call('GET', { sluice: misspelt })).toThrow(
    expect.objectContaining({
      code: 'CONFIG',
      message: expect.stringMatching(/"lanes" is no option .* one of lane, /),
    }),
  );
  expect(() => harness.call('GET', { sluice: { tenantt: 'mary@example.org' } as CallOptions })).toThrow(
    /^((?!mary).)*$/,
  );
  expect(() => harness.call('GET', { sluice: { toString: 'x' } as never })).toThrow(/"toString"/);
  expect(harness.provider.log).toEqual([]);
});

test('law 13: nor does a function run for which one is given', async () => {
  const harness = new Harness();
  let runs = 0;
  const fn = (): void => void (runs += 1);
  await expect(harness.runtime.run(fn, { ...misspelt, method: 'GET' })).rejects.toMatchObject({ code: 'CONFIG' });
  expect(runs).toBe(0);
});

test('an option that is left undefined is none', async () => {
  const harness = new Harness({ script: '200' });
  const going = harness.go('GET', { sluice: { lanes: undefined } as CallOptions });
  await harness.clock.advance(0);
  expect(going.told).toBe('200');
  await harness.expectNothingLeft();
});

test('law 18: what is only observed is refused for none', async () => {
  const harness = new Harness({ script: '200', options: { mode: 'observe' } });
  const going = harness.go('GET', { sluice: misspelt });
  await harness.clock.advance(0);
  expect(going.told).toBe('200');
  await harness.expectNothingLeft();
});
