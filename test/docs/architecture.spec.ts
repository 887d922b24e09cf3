import { existsSync, readdirSync, readFileSync } from 'node:fs';

const architecture = readFileSync('docs/architecture.md', 'utf8');
const folders = (path: string) =>
  readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

/** First cells of all tables. */
const rows = [...architecture.matchAll(/^\| `([^`]+)` \|/gm)].map(([, cell]) => cell!);

test('the architecture page has a row for each library, and for no other', () => {
  const libraries = folders('libs').map((name) => `libs/${name}`);
  expect(rows.filter((row) => row.startsWith('libs/')).sort()).toEqual(libraries.sort());
});

test('the architecture page has a row for each folder of the core, and for no other', () => {
  const named = rows.filter((row) => !row.includes('/'));
  expect(named.sort()).toEqual(folders('libs/core/src').sort());
});

test('files and folders that the architecture page names exist', () => {
  const gate = rows.filter((row) => row.startsWith('gate/')).map((row) => `libs/core/src/${row}`);
  expect(gate.filter((path) => !existsSync(path))).toEqual([]);
});

test('links between the pages lead somewhere', () => {
  for (const [page, base] of [
    ['CONTRIBUTING.md', ''],
    ['docs/architecture.md', 'docs/'],
    ['docs/errors.md', 'docs/'],
    ['docs/guides/contract.md', 'docs/guides/'],
  ] as const) {
    const links = [...readFileSync(page, 'utf8').matchAll(/\]\(([^)#:]+)\)/g)].map(([, target]) => `${base}${target}`);
    expect(links.filter((path) => !existsSync(path))).toEqual([]);
  }
});
