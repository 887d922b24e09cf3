import type { CallOptions } from './call.js';
import { Harness } from './harness.fixture.js';

const KEYED = { idempotency: {} } as const;
const keyed = (idempotencyKey: unknown): CallOptions => ({ idempotencyKey }) as CallOptions;

test.each([
  ['an empty text', ''],
  ['a space', ' '],
  ['a text of which a header holds nothing', '😀'],
  ['a text of which a header holds a part', 'a€7'],
  ['a line break', 'a\nb'],
  ['an object', { id: 7 }],
  ['a promise', Promise.resolve('k')],
  ['no number', NaN],
])('laws 7 and 13: a write whose key is %s is refused, for the provider could not know a repeat by it', (_, key) => {
  const harness = new Harness({ script: '503, 200', options: KEYED });
  expect(() => harness.call('POST', { sluice: keyed(key) })).toThrow(
    expect.objectContaining({
      code: 'CONFIG',
      message: expect.stringMatching(/the idempotency key of the request is /),
    }),
  );
  expect(harness.provider.log).toEqual([]);
});

test('law 12: a key that is refused is not shown', () => {
  const harness = new Harness({ options: KEYED });
  expect(() => harness.call('POST', { sluice: keyed('mary€example.org') })).toThrow(/^((?!mary).)*$/);
});

test('in a body a key may hold any character', async () => {
  const harness = new Harness({ script: '200', options: { idempotency: { bodyField: 'requestId' } } });
  const going = harness.go('POST', { sluice: keyed('a€7') });
  await harness.clock.advance(0);
  expect(going.told).toBe('200');
  await harness.expectNothingLeft();
});

test('law 18: a write that is only observed is sent with the key that it has', async () => {
  const harness = new Harness({ script: '200', options: { ...KEYED, mode: 'observe' } });
  const going = harness.go('POST', { sluice: keyed('') });
  await harness.clock.advance(0);
  expect(going.told).toBe('200');
  await harness.expectNothingLeft();
});
