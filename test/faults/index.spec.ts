import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const LAST = 161;
/** Numbers that no case has. */
const GAPS = new Set([
  5, 6, 7, 9, 19, 20, 24, 27, 28, 35, 37, 39, 41, 55, 58, 62, 68, 69, 76, 78, 82, 83, 84, 92, 93, 106, 109, 114, 121,
  122, 128, 140, 141, 146, 147, 152, 155,
]);

const cases = Array.from({ length: LAST }, (_, index) => index + 1).filter((number) => !GAPS.has(number));

interface Row {
  readonly number: number;
  readonly files: readonly string[];
  readonly missing: string;
}

/** The table of `cases.md`. */
const rows: Row[] = readFileSync('test/faults/cases.md', 'utf8')
  .split('\n')
  .filter((line) => /^\| +\d/.test(line))
  .map((line) => {
    const [, number, , files = '', missing = ''] = line.split('|').map((cell) => cell.trim());
    return {
      number: Number(number),
      files: [...files.matchAll(/`([^`]+)`/g)].map(([, file]) => file as string),
      missing,
    };
  });

const NAMED = /['"`]cases? (\d+(?:(?:, | and )\d+)*)[:,]/g;

/** The numbers of the cases that a spec names in its titles. */
function namedIn(file: string): number[] {
  return [...readFileSync(file, 'utf8').matchAll(NAMED)].flatMap(([, numbers]) =>
    (numbers as string).match(/\d+/g)!.map(Number),
  );
}

function specs(): string[] {
  return ['libs', 'apps', 'test']
    .flatMap((root) => readdirSync(root, { recursive: true, encoding: 'utf8' }).map((file) => join(root, file)))
    .filter(
      (file) => file.endsWith('.spec.ts') && !file.includes('node_modules') && !file.startsWith('test/consumers'),
    );
}

test('every case stands in the table, once and in order', () => {
  expect(rows.map(({ number }) => number)).toEqual(cases);
});

test('a case that is said to be tested is named by a test of each file that is named for it', () => {
  const untrue = rows.flatMap(({ number, files }) =>
    files.filter((file) => !namedIn(file).includes(number)).map((file) => `${number}: ${file}`),
  );
  expect(untrue).toEqual([]);
});

test('a case without a test says why', () => {
  expect(rows.filter(({ files, missing }) => files.length === 0 && missing === '')).toEqual([]);
});

test('every case that a test names stands in the table as tested', () => {
  const tested = new Set(rows.filter(({ files }) => files.length > 0).map(({ number }) => number));
  const unlisted = specs().flatMap((file) =>
    namedIn(file)
      .filter((number) => !tested.has(number))
      .map((number) => `${number}: ${file}`),
  );
  expect(unlisted).toEqual([]);
});
