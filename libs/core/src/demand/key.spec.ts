import fc from 'fast-check';
import { canonicalText, NotCanonicalError } from '../canonical/canonical.js';
import { type DemandKeyParts, DemandKeys } from './key.js';

const keyOf = (parts: DemandKeyParts): string | null => new DemandKeys().keyOf(parts);

describe('law 11: the key of a read', () => {
  const parts = {
    provider: 'crm',
    method: 'get',
    url: 'https://api.crm.example/contacts',
    params: { b: 1, a: 2 },
    vary: ['json', undefined, 5000],
    partition: { account: '42' },
    tenant: 'acme',
    headers: { accept: 'application/json', authorization: 'Bearer s3cret' },
    credentials: { username: 'ada', password: 'pa55' },
  };

  it('is the same for the same request, however its parts are ordered and spelled', () => {
    const same = {
      ...parts,
      method: 'GET',
      params: { a: 2, b: 1 },
      headers: { authorization: 'Bearer s3cret', accept: 'application/json', 'content-type': undefined },
      credentials: { password: 'pa55', username: 'ada' },
    };
    expect(keyOf(same)).toBe(keyOf(parts));
  });

  it.each([
    ['provider', { provider: 'erp' }],
    ['method', { method: 'head' }],
    ['url', { url: 'https://api.crm.example/contacts/1' }],
    ['params', { params: { a: 2, b: '1' } }],
    ['wanted form', { vary: ['text', undefined, 5000] }],
    ['place of what is wanted', { vary: ['json', 5000, undefined] }],
    ['partition', { partition: { account: '43' } }],
    ['tenant', { tenant: 'other' }],
    ['authorisation', { headers: { ...parts.headers, authorization: 'Bearer other' } }],
    ['credentials besides the headers', { credentials: { username: 'ada', password: 'other' } }],
    ['lack of credentials', { credentials: undefined }],
  ])('differs by %s', (_name, change) => {
    expect(keyOf({ ...parts, ...change })).not.toBe(keyOf(parts));
  });

  it('is of what an object holds now, though it is the object of the read before', () => {
    const keys = new DemandKeys();
    const proxy = { host: 'one.example' };
    const read = { ...parts, vary: [proxy] };
    const before = keys.keyOf(read);
    proxy.host = 'two.example';
    expect(keys.keyOf(read)).not.toBe(before);
    proxy.host = 'one.example';
    expect(keys.keyOf(read)).toBe(before);
  });

  it('tells apart reads whose values are the same in a row, in another place', () => {
    const keys = new DemandKeys();
    const one = { ...parts, credentials: undefined, partition: { account: '42' }, headers: {} };
    const other = { ...one, partition: {}, headers: { account: '42' } };
    expect(keys.keyOf(one)).not.toBe(keys.keyOf(other));
    expect(keys.keyOf({ ...one, vary: ['json', 'account', '42'], partition: {} })).not.toBe(keys.keyOf(one));
  });

  it('is none for a read that cannot be compared, and what it was for the reads around it', () => {
    const keys = new DemandKeys();
    const odd = { ...parts, headers: { ...parts.headers, accept: Symbol('text') } };
    const before = keys.keyOf(parts);
    expect([keys.keyOf(odd), keys.keyOf(odd), keys.keyOf(parts)]).toEqual([null, null, before]);
  });

  it('law 12: shows nothing of headers and credentials', () => {
    const key = keyOf(parts);
    for (const secret of ['s3cret', 'pa55', 'ada', 'Bearer', 'application', 'acme']) expect(key).not.toContain(secret);
  });

  it('is none where the parts cannot be compared', () => {
    expect(keyOf({ ...parts, params: { filter: () => true } })).toBeNull();
    expect(keyOf({ ...parts, headers: { accept: () => 'text' } })).toBeNull();
  });

  it('is equal exactly where the canonical texts of all parts are, whatever was asked for before', () => {
    const keys = new DemandKeys();
    const canonical = (read: DemandKeyParts): string | null => {
      const { params = null, credentials = null, ...others } = read;
      try {
        return canonicalText([{ ...others, method: read.method.toUpperCase() }, params, credentials]);
      } catch (error) {
        if (error instanceof NotCanonicalError) return null;
        throw error;
      }
    };
    fc.assert(
      fc.property(reads, reads, (one, other) => {
        const equal = canonical(one) !== null && canonical(one) === canonical(other);
        const [first, second] = [keys.keyOf(one), keys.keyOf(other)];
        expect([first === null, second === null]).toEqual([canonical(one) === null, canonical(other) === null]);
        expect(first !== null && first === second).toBe(equal);
        expect(keys.keyOf(one)).toBe(first);
      }),
      { numRuns: 3000 },
    );
  });
});

/** Of few texts, so that many are equal, and of such as could be taken for the marks between two parts. */
const text = fc.constantFrom('', 'a', '"1:a', '-', '1', '1:1', '{', '}', 'a"1:a');
const value = fc.oneof(
  text,
  fc.constantFrom<unknown>(undefined, null, 0, -0, 1, true, false, () => 1),
  fc.array(text, { maxLength: 2 }),
  fc.dictionary(text, text, { maxKeys: 2 }),
);
const reads: fc.Arbitrary<DemandKeyParts> = fc
  .record({
    provider: fc.constant('crm'),
    method: fc.constantFrom('get', 'GET', 'head'),
    url: text,
    params: value,
    vary: fc.tuple(value, value),
    partition: fc.dictionary(text, text, { maxKeys: 2 }),
    tenant: text,
    headers: fc.dictionary(text, value, { maxKeys: 3 }),
    credentials: value,
  })
  // Few differences at a time: else no two would ever be equal.
  .chain((read) =>
    fc
      .subarray(['url', 'params', 'vary', 'partition', 'tenant', 'headers', 'credentials'] as const, { maxLength: 2 })
      .map((kept) => ({
        ...PLAIN,
        method: read.method,
        ...Object.fromEntries(kept.map((name) => [name, read[name]])),
      })),
  );
const PLAIN = { provider: 'crm', url: '', vary: [undefined, undefined], partition: {}, tenant: '', headers: {} };
