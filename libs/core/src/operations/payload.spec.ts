import fc from 'fast-check';
import { isSluiceError } from '../errors/sluice-error.js';
import { decodePayload, encodePayload } from './payload.js';

const through = (value: unknown): unknown => decodePayload(encodePayload('crm', 'Invoices.create', value));

describe('what is stored of arguments', () => {
  it('comes back equal and of the same types, whatever plain data it is', () => {
    const data = fc.anything({
      // An undefined field is left out, and must not lay open an inherited one.
      key: fc.string().filter((key) => !(key in {})),
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withNullPrototype: false,
      maxDepth: 4,
    });
    fc.assert(
      fc.property(data, (value) => {
        let text: string;
        try {
          text = encodePayload('crm', 'x', value);
        } catch (error) {
          return isSluiceError(error, 'CONFIG') && String(error).includes('invalid date');
        }
        expect(decodePayload(text)).toEqual(value);
        return true;
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['a date', new Date(1.5e12)],
    ['bytes', new Uint8Array([0, 255, 7])],
    ['numbers without a word in JSON', [NaN, Infinity, -Infinity, -0]],
    ['undefined in a list', [1, undefined]],
    ['an object that looks like ours', { $sluice: 'date', value: 'x', more: { $sluice: 1 } }],
    ['a map with objects as keys', new Map([[{ a: 1n }, new Set(['x'])]])],
  ])('%s', (_, value) => {
    expect(through(value)).toEqual(value);
  });

  it('a field named __proto__ stays a field', () => {
    const back = through(JSON.parse('{"__proto__": {"admin": true}}')) as Record<string, unknown>;
    expect(Object.keys(back)).toEqual(['__proto__']);
    expect(back['admin']).toBeUndefined();
  });

  it.each([
    ['a function', { onDone: () => 1 }, '$.onDone is a function'],
    ['a class instance', [new (class Money {})()], '$[0] is an instance of a class'],
    ['a promise', Promise.resolve(), 'is an instance of a class'],
    ['an invalid date', new Date(NaN), 'is an invalid date'],
  ])('%s is refused, with the place and no value', (_, value, problem) => {
    let error: unknown;
    try {
      through(value);
    } catch (thrown) {
      error = thrown;
    }
    expect(isSluiceError(error, 'CONFIG')).toBe(true);
    expect(String(error)).toContain(problem);
    expect(String(error)).toContain('Invoices.create');
  });

  it('a cycle is refused', () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = [cycle];
    expect(() => through(cycle)).toThrow('$.self[0] refers back');
  });

  it('a text of a type that is not known is no value', () => {
    expect(() => decodePayload('{"$sluice":"regexp","value":"x"}')).toThrow(SyntaxError);
  });
});
