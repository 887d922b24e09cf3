import { readFileSync } from 'node:fs';

const guide = readFileSync('docs/guides/events.md', 'utf8');
const source = readFileSync('libs/core/src/events/events.ts', 'utf8');
const seen = readFileSync('libs/core/src/gate/gate-view.ts', 'utf8');

const rowsOf = (heading: string): string[] => {
  const section = guide.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return [...section.matchAll(/^\| ([^|]+) \|/gm)]
    .map(([, cell]) => cell as string)
    .filter((cell) => cell.startsWith('`'));
};

test('the guide to events has a row for every type of event, and for no other', () => {
  const types = [...source.matchAll(/readonly type: '([a-z-]+)'/g)].map(([, type]) => `\`${type}\``);
  expect(types.length).toBeGreaterThan(10);
  expect(rowsOf('Events').sort()).toEqual(types.sort());
});

test('the guide names every field of every event', () => {
  const fields = [...source.matchAll(/readonly ([a-zA-Z]+)\??:/g)].map(([, field]) => field as string);
  const told = guide.replaceAll('cause, limit and time', '`cause` `limitName` `ms`');
  const missing = [...new Set(fields)].filter((field) => field !== 'active' && !told.includes(`\`${field}\``));
  expect(missing).toEqual([]);
});

test('the guide names every field of what inspect() tells of the gate', () => {
  const view = seen.split('export interface GateView {')[1]?.split('\n}\n')[0] ?? '';
  const fields = [...view.matchAll(/readonly ([a-zA-Z]+):/g)].map(([, field]) => field as string);
  expect(fields.length).toBeGreaterThan(10);
  expect(fields.filter((field) => field !== 'provider' && !guide.includes(field))).toEqual([]);
});
