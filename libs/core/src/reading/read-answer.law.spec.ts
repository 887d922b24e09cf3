import fc from 'fast-check';
import type { ReadingOptions } from './options.js';
import { PROVIDERS } from './catalogue.fixture.js';
import type { Answer, Reading } from './reading.js';
import { readWith } from './read-answer.js';

const NOW = new Date('2026-03-10T12:00:00.000Z');
const read = (status: number, headers: Answer['headers'], body?: unknown, options?: ReadingOptions): Reading =>
  readWith(options, { status, headers, body, receivedAt: NOW });

const NAMES = [
  'Retry-After',
  'retry-after-ms',
  'RateLimit',
  'RateLimit-Policy',
  'Date',
  'Age',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Rate-Limit-Reset',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Sforce-Limit-Info',
  'x-shopify-shop-api-call-limit',
  'x-amzn-ratelimit-limit',
  '__proto__',
];
const TEXTS = [
  '0',
  '-1',
  '1e309',
  '1e5',
  '0x10',
  'NaN',
  '-Infinity',
  '9007199254740993',
  '0.0000001',
  '1773144060',
  '99999999999999999',
  'Tue, 31 Feb 2026 12:00:00 GMT',
  'Tue, 10 Mar 0000 12:00:00 GMT',
  '"a";r=0;t=999999999999999',
  '"a";r=0',
  'a=1',
  '',
  '9999999999h',
  '1h1m1s',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:60+23:59',
  '40/40',
  '40/0',
  '100;w=0',
  ':aGk:',
];
const text = fc.oneof(fc.constantFrom(...TEXTS), fc.string(), fc.double().map(String), fc.integer().map(String));
const value = fc.oneof(text, fc.array(text, { maxLength: 3 }), fc.anything());
const bag = fc.dictionary(fc.oneof(fc.constantFrom(...NAMES), fc.string()), value, { maxKeys: 8 });
const body = fc.oneof(fc.anything(), fc.json(), fc.constant('{"retry_after":1e309}'));
const options = fc.constantFrom(undefined, ...Object.values(PROVIDERS));

function numbersOf(reading: Reading): readonly (number | null | undefined)[] {
  const { waitMs, remaining, limit, cost, perSecond, window, resetInMs } = reading;
  const dates = [reading.retryAt, reading.resetAt].map((date) => date?.getTime());
  return [waitMs, remaining, limit, cost, perSecond, window, resetInMs, ...dates];
}

describe('law 13: reading an answer', () => {
  it('never throws, and never gives a number that is not finite or a wait that is negative, for any header bag and body', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 999 }), bag, body, options, (status, headers, content, how) => {
        const reading = read(status, headers as Answer['headers'], content, how);
        for (const part of [reading, ...(reading.parts ?? [])]) {
          for (const number of numbersOf(part as Reading))
            if (number != null) expect(Number.isFinite(number)).toBe(true);
          expect(part.waitMs ?? 0).toBeGreaterThanOrEqual(0);
          expect(part.remaining ?? 0).toBeGreaterThanOrEqual(0);
          expect(part.resetInMs ?? 0).toBeGreaterThanOrEqual(0);
        }
      }),
      { numRuns: 3000 },
    );
  });

  it('falls back on the status where a header or the body throws when it is looked at', () => {
    const trap = {
      get 'Retry-After'(): string {
        throw new Error('trap');
      },
    };
    expect(read(429, trap)).toMatchObject({ limited: true, waitMs: null });
    const hostile = new Proxy({}, { getOwnPropertyDescriptor: () => { throw new Error('trap'); } }); // prettier-ignore
    expect(read(200, {}, hostile, PROVIDERS['github'])).toMatchObject({ limited: false, waitMs: 0 });
  });

  it('gives no moment where the time of the answer is not one', () => {
    const reading = readWith(undefined, { status: 429, headers: { 'Retry-After': '5' }, receivedAt: new Date(NaN) });
    expect(reading).toMatchObject({ limited: true, waitMs: 5000, retryAt: null });
  });
});

describe('reading', () => {
  it('case 1: a malformed Retry-After is no hint', () => {
    for (const junk of ['soon', 'Wed, 99 Foo', '']) expect(read(429, { 'Retry-After': junk }).waitMs).toBeNull();
  });

  it('case 2: zero and a past date are a wait of nothing, never a negative one', () => {
    expect(read(429, { 'Retry-After': '0' }).waitMs).toBe(0);
    expect(read(429, { 'Retry-After': 'Tue, 10 Mar 2026 11:59:58 GMT' }).waitMs).toBe(0);
  });

  it('case 3: a zero delay does not make an answer final', () => {
    expect(read(503, { 'Retry-After': '0' })).toMatchObject({ retryable: true, waitMs: 0 });
  });

  it('case 4: negative waits are no hint', () => {
    expect(read(503, { 'Retry-After': '-1' })).toMatchObject({ retryable: true, waitMs: null });
    expect(read(503, { 'retry-after-ms': '-250' }, undefined, PROVIDERS['openai']).waitMs).toBeNull();
  });

  it('case 8: an absolute moment under the standard name is seen as one', () => {
    const reading = readWith(undefined, {
      status: 429,
      headers: { 'RateLimit-Remaining': '0', 'RateLimit-Reset': '1763161432' },
      receivedAt: new Date(1_763_161_402_000),
    });
    expect(reading.waitMs).toBe(30_000);
  });

  it('case 10: a 429 without a usable hint is a refusal of unknown length', () => {
    const reading = read(429, { 'content-type': 'text/html' }, '<html>Too many requests</html>');
    expect(reading).toMatchObject({ limited: true, retryable: true, kind: 'unknown', waitMs: null, retryAt: null });
  });

  it('case 11: 3.2 days are told as they are', () => {
    expect(read(429, { 'Retry-After': '277403' })).toMatchObject({
      waitMs: 277_403_000,
      retryAt: new Date(+NOW + 277_403_000),
    });
  });

  it('case 13: a wait in a body is a length, not a moment', () => {
    expect(read(429, {}, { retry_after: 2, global: true }, PROVIDERS['discord']).waitMs).toBe(2000);
  });

  it('case 14: a refusal is known by its structure, whatever its wording', () => {
    expect(read(403, { 'Retry-After': '60' }, { message: 'new wording' })).toMatchObject({
      limited: true,
      waitMs: 60_000,
    });
    expect(read(403, LEFT_NONE)).toMatchObject({ limited: true, waitMs: 30_000 });
    expect(read(403, {}, { message: 'forbidden' })).toMatchObject({
      limited: false,
      retryable: false,
      kind: 'permission',
    });
  });

  it('case 15: of seconds and milliseconds the finer one counts, and repeated lines are no trouble', () => {
    const both = { 'retry-after-ms': '1500', 'retry-after': '2' };
    expect(read(429, both, undefined, PROVIDERS['openai']).waitMs).toBe(1500);
    const repeated = { 'retry-after-ms': ['1500', '1500'], 'retry-after': ['2', '2'] };
    expect(read(429, repeated, undefined, PROVIDERS['openai']).waitMs).toBe(1500);
    expect(read(429, { 'retry-after': '2, 2' }).waitMs).toBe(2000);
    expect(read(429, { 'X-RateLimit-Remaining': '0, 0', 'X-RateLimit-Reset': '60, 60' }).waitMs).toBe(60_000);
  });

  it('case 29: a 200 is a refusal where the code in its body says so, not where a text holds the word', () => {
    const throttleStatus = { maximumAvailable: 1000, currentlyAvailable: 0, restoreRate: 50 };
    const extensions = { cost: { requestedQueryCost: 100, actualQueryCost: null, throttleStatus } };
    const refused = { errors: [{ extensions: { code: 'THROTTLED' } }], extensions };
    expect(read(200, {}, refused, PROVIDERS['shopify'])).toMatchObject({ limited: true, waitMs: 2000, cost: 100 });
    const served = { data: { shop: { name: 'THROTTLED' } } };
    expect(read(200, {}, served, PROVIDERS['shopify'])).toMatchObject({ limited: false, kind: 'none', waitMs: 0 });
  });

  it('case 31: a plain 403 is final', () => {
    expect(read(403, {})).toMatchObject({ limited: false, retryable: false, kind: 'permission', waitMs: null });
  });
});

describe('a rule of the contract', () => {
  const options: ReadingOptions = {
    rules: [
      { when: { status: [420, 430] }, limited: true },
      { when: { status: 503, hinted: true }, limited: true },
      { when: { status: 409, body: { code: 'key_in_use' } }, retryable: true, kind: 'lock', waitMs: 1000 },
      { when: { status: 429, headers: { 'x-banned': { present: true } } }, retryable: false, kind: 'permission' },
      { when: { status: 200, remaining: 'none' }, limited: true },
    ],
  };

  it('makes a refusal of a status that is none', () => {
    for (const status of [420, 430]) {
      expect(read(status, { 'Retry-After': '7' }, undefined, options)).toMatchObject({ limited: true, waitMs: 7000 });
    }
    expect(read(200, LEFT_NONE, undefined, options)).toMatchObject({ limited: true, kind: 'rate', waitMs: 30_000 });
  });

  it('makes a 503 pause, where it tells a wait and only there', () => {
    expect(read(503, { 'Retry-After': '7' }, undefined, options)).toMatchObject({ limited: true, waitMs: 7000 });
    expect(read(503, {}, undefined, options)).toMatchObject({ limited: false, retryable: true, waitMs: null });
    expect(read(503, { 'Retry-After': '7' })).toMatchObject({ limited: false, kind: 'overload', waitMs: 7000 });
  });

  it('makes an error that passes retryable, and a refusal that stays final', () => {
    const inUse = read(409, {}, { code: 'key_in_use' }, options);
    expect(inUse).toMatchObject({ limited: false, retryable: true, kind: 'lock', waitMs: 1000 });
    expect(read(409, {}, { code: 'exists' }, options)).toMatchObject({ retryable: false });
    const banned = read(429, { 'X-Banned': 'yes' }, undefined, options);
    expect(banned).toMatchObject({ limited: true, retryable: false, kind: 'permission', waitMs: null });
  });

  it('reads the same body as an object and as its text', () => {
    expect(read(409, {}, '{"code":"key_in_use"}', options)).toMatchObject({ retryable: true });
  });

  it('gives the same answer each time, whatever flags a pattern has', () => {
    const global: ReadingOptions = { rules: [{ when: { body: { message: /slow down/g } }, limited: true }] };
    for (let n = 0; n < 3; n += 1) expect(read(400, {}, { message: 'slow down' }, global).limited).toBe(true);
  });
});

const LEFT_NONE = { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '30' };

test('the answers within a batch are read the same from a text as from objects, headers in any spelling included', () => {
  const throttled = { error: { code: 'tooManyRequests', message: 'Too many “requests”, too soon' } };
  const responses = [
    { id: '1', status: 429, headers: { 'Retry-After': '5', 'retry-AFTER': ['9', '7'], ETag: 'x' }, body: throttled },
    { id: 2, status: 200, headers: { 'retry-after': 3, extra: { deep: [1] } }, body: { value: [{ id: 'x' }] } },
    { status: 429, headers: ['Retry-After'], body: JSON.stringify(throttled) },
    { id: null, status: '429', body: throttled },
    { id: '5', headers: {}, status: 503, body: [throttled] },
    'none',
    null,
    [{ status: 429 }],
  ];
  const graph = PROVIDERS['msgraph'];
  const parsed = read(200, {}, { responses }, graph);
  expect(read(200, {}, JSON.stringify({ responses }), graph)).toEqual(parsed);
  expect(parsed.parts).toMatchObject([{ id: '1', limited: true, waitMs: 9000 }, { id: '2', waitMs: 3000 }, { limited: true }, { id: '5' }]); // prettier-ignore
});

describe('what is too long', () => {
  const options: ReadingOptions = {
    cost: { body: 'extensions.cost' },
    rules: [{ when: { body: { 'errors[].code': 'SLOW' } }, limited: true }],
  };
  const padded = (length: number) => JSON.stringify({ pad: 'x'.repeat(length), extensions: { cost: 7 } });

  it('of a body that comes as a text both ends are read; of one that is parsed already, all', () => {
    for (const length of [65_000, 200_000, 1_000_000]) expect(read(200, {}, padded(length), options).cost).toBe(7);
    const hidden = `{"pad":"${'x'.repeat(65_536)}","extensions":{"cost":7},"more":"${'x'.repeat(65_536)}"}`;
    expect(read(200, {}, hidden, options).cost).toBeUndefined();
    expect(read(200, {}, JSON.parse(hidden), options).cost).toBe(7);
  });

  it('names are read though they are written with escapes', () => {
    expect(read(200, {}, '{"extensions":{"c\\u006fst":7}}', options).cost).toBe(7);
    expect(read(200, {}, '{"\\u0065xtensions":{"cost":7}}', options).cost).toBe(7);
    expect(read(200, {}, '{"errors":[{"code":"slow"}]}', options).limited).toBe(true);
  });

  it('of a list the first 50 elements count', () => {
    const at = (index: number) => ({
      errors: Array.from({ length: 60 }, (_, i) => ({ code: i === index ? 'SLOW' : 'x' })),
    });
    expect(read(200, {}, at(49), options).limited).toBe(true);
    expect(read(200, {}, at(50), options).limited).toBe(false);
    expect(read(200, {}, JSON.stringify(at(49)), options).limited).toBe(true);
    expect(read(200, {}, JSON.stringify(at(50)), options).limited).toBe(false);
  });

  it('a structured field of more than 2,048 characters says nothing', () => {
    const field = (count: number) => ({ RateLimit: `${'"other";r=5, '.repeat(count)}"m";r=0;t=5` });
    expect(read(429, field(150)).waitMs).toBe(5000);
    expect(read(429, field(180)).waitMs).toBeNull();
  });

  it('a header of more than 4,096 characters says nothing', () => {
    expect(read(429, { 'Retry-After': '5'.padEnd(5000, '0') }).waitMs).toBeNull();
    const lines = ['5', ...Array.from({ length: 100_000 }, () => '9')];
    expect(read(429, { 'Retry-After': lines }).waitMs).toBe(9000);
  });
});
