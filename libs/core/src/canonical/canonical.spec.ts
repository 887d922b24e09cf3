import fc from 'fast-check';
import { canonicalText, NotCanonicalError, sha256 } from './canonical.js';

describe('the canonical text of a value', () => {
  it('does not depend on the order of keys, at any depth', () => {
    const shuffled = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(shuffled);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([key, part]) => [key, shuffled(part)]),
      );
    };
    fc.assert(fc.property(fc.jsonValue(), (value) => canonicalText(shuffled(value)) === canonicalText(value)));
  });

  it('differs where two JSON values differ', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const sorted = (value: unknown): string => JSON.stringify(value, (_key, part: unknown) => order(part));
        expect(canonicalText(a) === canonicalText(b)).toBe(sorted(a) === sorted(b));
      }),
    );
  });

  it('keeps types apart', () => {
    const values = [
      1,
      '1',
      1n,
      true,
      'true',
      null,
      'null',
      undefined,
      [],
      {},
      new Set(),
      new Map(),
      new Date(0),
      '1970-01-01T00:00:00.000Z',
      Buffer.from('1'),
    ];
    expect(new Set(values.map(canonicalText)).size).toBe(values.length);
  });

  it('takes an undefined field as absent, and a nested toJSON at its word', () => {
    expect(canonicalText({ a: 1, b: undefined })).toBe(canonicalText({ a: 1 }));
    expect(canonicalText({ amount: { toJSON: () => '1.50' } })).toBe(canonicalText({ amount: '1.50' }));
  });

  it('does not depend on the order of sets and maps', () => {
    expect(canonicalText(new Set([1, 'b']))).toBe(canonicalText(new Set(['b', 1])));
    expect(canonicalText(new Map([[1, 2], [3, 4]]))).toBe(canonicalText(new Map([[3, 4], [1, 2]]))); // prettier-ignore
  });

  it('takes the same object twice for what it is, and refuses a cycle by its path', () => {
    const shared = { a: 1 };
    expect(canonicalText([shared, shared])).toBe('[{"a":1},{"a":1}]');
    const cycle: Record<string, unknown> = { name: 'secret' };
    cycle['self'] = { back: cycle };
    expect(() => canonicalText(cycle)).toThrow(
      new NotCanonicalError('$.self.back', 'refers back to what it is part of'),
    );
  });

  it.each([
    ['a function', { run: () => 1 }],
    ['a symbol', [Symbol('x')]],
    ['a promise', { later: Promise.resolve() }],
    ['an invalid date', new Date(NaN)],
    ['a getter that throws', { get broken(): never { throw new Error('no'); } }], // prettier-ignore
  ])('refuses %s', (_name, value) => {
    expect(() => canonicalText(value)).toThrow(NotCanonicalError);
  });

  it('is hashed to 43 characters', () => {
    expect(sha256('a')).toMatch(/^[\w-]{43}$/);
  });
});

function order(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return Object.is(value, -0) ? 0 : value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
