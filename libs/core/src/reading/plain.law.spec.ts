import { AxiosHeaders } from 'axios';
import fc from 'fast-check';
import type { ReadingOptions } from './options.js';
import { planOf } from './plan.js';
import { saysNothing } from './plain.js';
import { PROVIDERS } from './catalogue.fixture.js';
import { readWith } from './read-answer.js';

const receivedAt = new Date('2026-03-10T12:00:00Z');
const HOW: readonly ReadingOptions[] = [
  {},
  ...Object.values(PROVIDERS),
  { nearLimit: { from: 'x-ok', is: { present: false } } },
];

/** The same reading, with a rule that never matches but could for any status: nothing is passed over. */
const thorough = HOW.map((how) => ({
  ...how,
  rules: [...(how.rules ?? []), { when: { headers: { 'x-never': 'never' } }, kind: 'never' }],
}));

const spelled = fc.tuple(fc.constantFrom('retry-after', 'RateLimit', 'x-ratelimit-remaining', 'X-RateLimit-Limit', 'age', 'date', 'content-type', 'ratelimit-policy', 'X-RateLimit-Remaining-Tokens', 'x-shopify-shop-api-call-limit', 'x-ok'), fc.boolean()).map(([name, upper]) => (upper ? name.toUpperCase() : name)); // prettier-ignore
const value = fc.oneof(
  fc.constantFrom('0', '5', '12/40', '"a";r=1;t=2', 'Tue, 10 Mar 2026 12:00:05 GMT', '', undefined),
  fc.array(fc.constantFrom('1', 'x'), { maxLength: 2 }),
  fc.anything(),
);
const bag = fc.dictionary(fc.oneof(spelled, fc.string()), value, { maxKeys: 6 });

test('an answer that is passed over is read as it would have been', () => {
  let passed = 0;
  fc.assert(
    fc.property(
      fc.nat(HOW.length - 1),
      fc.oneof(fc.integer({ min: 200, max: 299 }), fc.integer({ min: 100, max: 600 })),
      fc.oneof(bag, fc.constantFrom(null, undefined, 5)),
      fc.anything(),
      (how, status, headers, body) => {
        const answer = { status, headers: headers as never, body, receivedAt };
        if (saysNothing(planOf(HOW[how]), answer)) passed += 1;
        expect(readWith(HOW[how], answer)).toEqual(readWith(thorough[how], answer));
      },
    ),
    { numRuns: 3000 },
  );
  expect(passed).toBeGreaterThan(100);
});

test('it is passed over for its names alone: no value is looked at', () => {
  const trap = {
    get 'content-type'(): string {
      throw new Error('trap');
    },
    date: 'Tue, 10 Mar 2026 12:00:00 GMT',
  };
  expect(saysNothing(planOf(), { status: 200, headers: trap, receivedAt })).toBe(true);
  expect(saysNothing(planOf(), { status: 200, headers: { ...PLAIN, 'RETRY-AFTER': '5' }, receivedAt })).toBe(false);
  for (const status of [199, 304, 404, 429, 503]) {
    expect(saysNothing(planOf(), { status, headers: PLAIN, receivedAt })).toBe(false);
  }
});

const PLAIN = { 'content-type': 'application/json', etag: '1' };

test('the headers of a client are looked through as a plain bag is, and what they inherit says nothing', () => {
  expect(saysNothing(planOf(), { status: 200, headers: new AxiosHeaders(PLAIN) as never, receivedAt })).toBe(true);
  const told = new AxiosHeaders({ ...PLAIN, 'Retry-After': '5' });
  expect(readWith(undefined, { status: 200, headers: told as never, receivedAt }).waitMs).toBe(5000);
  const heir = Object.assign(Object.create({ 'retry-after': '5' }), PLAIN);
  expect(readWith(undefined, { status: 200, headers: heir, receivedAt }).waitMs).toBe(0);
});

test('names that never come again are not remembered without end', () => {
  const how: ReadingOptions = {};
  for (let index = 0; index < 5000; index += 1) {
    readWith(how, { status: 200, headers: { [`x-${index}`]: '1' }, receivedAt });
  }
  expect(planOf(how).plain?.spelled.size).toBe(1000);
  expect(readWith(how, { status: 200, headers: { 'RETRY-AFTER': '5' }, receivedAt }).waitMs).toBe(5000);
});
