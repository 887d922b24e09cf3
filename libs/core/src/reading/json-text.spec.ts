import { JsonText } from './json-text.js';
import { compilePath, stepsOf } from './path.js';
import { Wanted } from './wanted.js';

const HEAD = 32_768;
const TAIL = 16_384;

function find(text: string, path: string): readonly unknown[] {
  const wanted = new Wanted();
  wanted.add(stepsOf(path));
  return compilePath(path)(new JsonText(text, wanted).at(null));
}

const pad = (length: number) => `"pad":"${'x'.repeat(length)}"`;
const COST = '"extensions":{"cost":7}';

describe('a text of up to 65,536 characters', () => {
  it('is read whole', () => {
    const text = `{${pad(35_000)},"a":{"b":1},${pad(30_000)}}`;
    expect(find(text, 'a.b')).toEqual([1]);
  });

  it('says nothing where it is no JSON, wherever it is wrong', () => {
    for (const length of [200, 5000]) {
      const text = (end: string) => `{"a":1,${pad(length)}${end}`;
      for (const end of [',}', '', '}}', '} x', '}\u0000', '}\ufeff']) expect(find(text(end), 'a')).toEqual([]);
      expect(find(text('} '), 'a')).toEqual([1]);
    }
    expect(find(`\ufeff{"a":1}`, 'a')).toEqual([]);
  });
});

test('of a text that is not short the first 1,000 values count that are asked for', () => {
  const members = Array.from({ length: 2000 }, (_, i) => `"a":${i}`).join(',');
  expect(find(`{${members}}`, 'a')).toEqual([999]);
  const elements = `{"a":[${'{"b":1},'.repeat(49)}{"b":2}],${pad(5000)}}`;
  expect(find(elements, 'a[].b')).toHaveLength(50);
});

test('of answers within a text that is not short the first 256 headers count', () => {
  const wanted = new Wanted();
  wanted.add(stepsOf('[]')).addHeaders(['abcdefghi']);
  const spelt = (number: number): string =>
    [...'abcdefghi'].map((letter, i) => ((number >> i) & 1 ? letter.toUpperCase() : letter)).join('');
  const headers = Array.from({ length: 400 }, (_, i) => `"${spelt(i)}":${i}`).join(',');
  const read = new JsonText(`[{${headers}}]`, wanted).at(null) as object[];
  expect(Object.keys(read[0]!)).toHaveLength(256);
});

describe('a longer text', () => {
  it('is read in its first 32,768 characters', () => {
    expect(find(`{"a":{"b":1},${pad(1_000_000)}}`, 'a.b')).toEqual([1]);
    expect(find(`{"data":{"rate":{"cost":5},"list":[${'{"x":1},'.repeat(125_000)}1]}}`, 'data.rate.cost')).toEqual([5]);
    expect(find(`[{"a":1},${'[],'.repeat(300_000)}{"a":2}]`, '[].a')).toEqual([1]);
  });

  it('is read in its last 16,384 characters, as far as members of the outermost object begin there', () => {
    expect(find(`{"data":[${'{"x":1},'.repeat(125_000)}1],${COST}}`, 'extensions.cost')).toEqual([7]);
    expect(find(`{${pad(1_000_000)} , ${COST} \n} \n`, 'extensions.cost')).toEqual([7]);
    const list = `{"errors":[{"code":"a"}],${pad(1_000_000)},"errors":[{"code":"b"},{"code":"c"}]}`;
    expect(find(list, 'errors[].code')).toEqual(['b', 'c']);
  });

  it('is not read between', () => {
    expect(find(`{${pad(HEAD)},${COST},${pad(HEAD)}}`, 'extensions.cost')).toEqual([]);
    expect(find(`{${pad(HEAD)},"extensions":{${pad(HEAD)},"cost":7}}`, 'extensions.cost')).toEqual([]);
  });

  it('gives what stands at its end where both ends say something, as the last of a name counts', () => {
    expect(find(`{"a":1,${pad(1_000_000)},"a":2}`, 'a')).toEqual([2]);
    expect(find(`{"a":1,${pad(1_000_000)},"__proto__":{"a":2}}`, '__proto__.a')).toEqual([2]);
  });

  it('is not taken in by what looks like a member: in a text, or deeper down', () => {
    const looks = [
      `"note":${JSON.stringify(`,${COST}`)}`,
      `"note":{"x":[1,{${COST}}]}`,
      `"note":${JSON.stringify(`\\",${COST}\\`)}`,
      `"note":[${COST.replace(':', ',')}]`,
      '"note":"extensions"',
    ];
    for (const look of looks) expect(find(`{${pad(1_000_000)},${look}}`, 'extensions.cost')).toEqual([]);
    for (const look of looks) expect(find(`{${pad(1_000_000)},${COST},${look}}`, 'extensions.cost')).toEqual([7]);
  });

  it('is not taken in by the end of a longer name, wherever its last 16,384 characters begin', () => {
    const from = (length: number) => `${COST},${pad(length - COST.length - 10)}}`;
    expect(from(TAIL).length).toBe(TAIL);
    expect(find(`{${pad(HEAD)},"my\\${from(TAIL)}`, 'extensions.cost')).toEqual([]);
    expect(find(`{${pad(HEAD)},${from(TAIL - 1)}`, 'extensions.cost')).toEqual([7]);
  });

  it('never gives a number or a text of which the first 32,768 characters hold a part', () => {
    for (let part = 1; part < 12; part += 1) {
      const before = `{"pad":"${'x'.repeat(HEAD - part - 14)}","a":`;
      for (const value of ['12345678', '"abcdefgh"', '"\\u00e9\\u00e9"', 'true', '[1,2,3,4]', '-1.5e+10']) {
        const found = find(`${before}${value},${pad(HEAD)}}`, 'a');
        expect([[], [JSON.parse(value)], [[]]]).toContainEqual(found);
      }
    }
  });

  it('says nothing where an end of it is no JSON, or where it is cut', () => {
    expect(find(`{"a":1,,${pad(1_000_000)},"a":2}`, 'a')).toEqual([]);
    expect(find(`{"a":1,${pad(1_000_000)},"a":2,}`, 'a')).toEqual([]);
    expect(find(`{"a":1,${pad(1_000_000)},"a":2`, 'a')).toEqual([]);
    expect(find(`{"a":1,${pad(1_000_000)},"a":2]`, 'a')).toEqual([]);
    expect(find(`{"a":1}${' '.repeat(1_000_000)}`, 'a')).toEqual([1]);
    expect(find(`{"a":1}${' '.repeat(1_000_000)}1`, 'a')).toEqual([]);
  });
});
