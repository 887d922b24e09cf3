import fc from 'fast-check';
import { codesOf } from './json-scanner.js';
import { pick } from './pick.js';
import { compilePath, stepsOf } from './path.js';
import { Wanted } from './wanted.js';

const NAMES = [
  'a',
  'b',
  'cost',
  'é',
  '0',
  '1',
  '__proto__',
  'toString',
  'x"y',
  'a\\b',
  '\n',
  '',
  '\ud800',
  'constructor',
];
const PATHS = ['a', 'b', 'cost', 'a.b', 'a.cost', 'a[]', 'a[].b', 'a[][]', 'a[][].cost', 'b.0', 'b.1.a', 'a.b.cost', '[]', '[].a', '[].b[].cost', '__proto__', 'a.__proto__', '__proto__.a', 'toString', 'constructor.a', 'x"y', 'a\\b.a', '\n', 'é.a', '\ud800', 'b[].0', '0', '', 'a.toString']; // prettier-ignore

const name = fc.constantFrom(...NAMES);
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.constantFrom('0', '-0', '0.10', '1e5', '1E+2', '-1.5e-3', '1e400', '12345678901234567890'),
);
const space = fc.constantFrom('', '', '', ' ', '\n', '\t\r ');

/** The name as JSON writes it, some of its letters by their numbers. */
const written = fc.tuple(name, fc.nat(3)).map(([text, how]) => {
  const plain = JSON.stringify(text);
  if (how !== 0) return plain;
  return `"${[...text].map((letter) => ([...letter].length === 1 && letter.length === 1 ? escaped(letter) : letter)).join('')}"`;
});
const escaped = (letter: string): string => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Texts of JSON, with names that come twice, lists of more elements than are looked at, and white space. */
const { text } = fc.letrec<{ text: string; value: string }>((tie) => ({
  text: fc.tuple(space, tie('value'), space).map((parts) => parts.join('')),
  value: fc.oneof(
    { maxDepth: 5, depthSize: 'large' },
    number,
    fc.oneof(fc.string({ unit: 'binary' }), name).map((each) => JSON.stringify(each)),
    fc.constantFrom('true', 'false', 'null', '"\\u00e9\\/"', '"\\ud800"', '[]', '{}', `[${'1,'.repeat(60)}2]`),
    fc.array(tie('text'), { maxLength: 4 }).map((each) => `[${each.join(',')}]`),
    fc
      .array(fc.tuple(space, written, space, tie('text')), { maxLength: 5 })
      .map((each) => `{${each.map(([before, key, after, value]) => `${before}${key}${after}:${value}`).join(',')}}`),
  ),
}));

/** Cut, or with a piece taken out or put in. */
const broken = fc
  .tuple(
    text,
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.nat(3),
    fc.constantFrom(
      '',
      '"',
      '\\',
      ',',
      '}',
      ']',
      '{',
      '0',
      '1',
      '.',
      'e',
      'u',
      ' ',
      '\u0000',
      '\u00a0',
      '\ufeff',
      '-',
      't',
      '\\u12',
    ),
  ) // prettier-ignore
  .map(([whole, where, out, piece]) => {
    const at = Math.floor(where * whole.length);
    return whole.slice(0, at) + piece + (out === 3 ? '' : whole.slice(at + out));
  });

const paths = fc.uniqueArray(fc.constantFrom(...PATHS), { minLength: 1, maxLength: 6 });

function parsed(from: string): unknown {
  try {
    const value: unknown = JSON.parse(from);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What the rest of a reading sees of a value: not what lists and objects hold that no path leads to. */
function seen(values: readonly unknown[]): readonly unknown[] {
  return values.map((value) => (typeof value !== 'object' || value === null ? value : Array.isArray(value) ? [] : {}));
}

function sameAs(from: string, asked: readonly string[]): void {
  const wanted = new Wanted();
  for (const path of asked) wanted.add(stepsOf(path));
  const picked = pick(from, codesOf(from), wanted);
  const value = picked?.whole === true ? picked.value : undefined;
  const whole = parsed(from);
  expect(value === undefined).toBe(whole === undefined);
  for (const path of asked) {
    const find = compilePath(path);
    expect(seen(find(value))).toEqual(seen(find(whole)));
  }
}

test('what is asked for of a text is what `JSON.parse` would have given', () => {
  fc.assert(fc.property(text, paths, sameAs), { numRuns: 3000 });
});

test('a text that `JSON.parse` refuses says nothing, and one that it takes says the same', () => {
  let refused = 0;
  const property = fc.property(broken, paths, (from, asked) => {
    if (parsed(from) === undefined) refused += 1;
    sameAs(from, asked);
  });
  fc.assert(property, { numRuns: 6000 });
  expect(refused).toBeGreaterThan(1000);
});

test('a text of any depth is gone through', () => {
  for (const [open, close] of ['[]', '{}', ['{"a":', '}']] as const) {
    const deep = open!.repeat(10_000);
    sameAs(`{"b":${deep}${open === '{' ? '' : '1'}${close!.repeat(10_000)},"cost":7}`, ['cost']);
    sameAs(`{"cost":7,"a":${deep}`, ['cost', 'a']);
  }
});
