// The examples of docs/guides/store.md, run, and its table of options, read.
import * as crypto from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as files from 'node:fs/promises';
import * as os from 'node:os';
import * as path from 'node:path';
import * as sqlite from 'nestjs-sluice/sqlite';
import type { Serializer } from 'nestjs-sluice/sqlite';
import * as testing from 'nestjs-sluice/testing';
import { resolveOptions } from '../../libs/sqlite/src/options.js';
import { exportsOf } from './printed.js';

const guide = readFileSync('docs/guides/store.md', 'utf8');
const packages = {
  'nestjs-sluice/sqlite': sqlite,
  'nestjs-sluice/testing': testing,
  'node:crypto': crypto,
  'node:fs/promises': files,
  'node:os': os,
  'node:path': path,
};
const [first, encrypted, own] = [...guide.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, code]) =>
  exportsOf(code as string, packages),
) as [Record<string, unknown>, Record<string, unknown>, Record<string, unknown>];

test('the first example is a store that is to be opened', () => {
  expect(first['store']).toMatchObject({ kind: 'sqlite' });
});

test('the serializer gives back what it wrote, and nothing that another key wrote', () => {
  const encryption = encrypted['encryption'] as (key: Buffer) => Serializer;
  const [one, other] = [encryption(crypto.randomBytes(32)), encryption(crypto.randomBytes(32))];
  const stored = one.encode(Buffer.from('words'));
  expect(Buffer.from(stored).toString('latin1')).not.toContain('words');
  expect(Buffer.from(one.decode(stored)).toString()).toBe('words');
  expect(() => other.decode(stored)).toThrow();
});

test('the checks of the last example pass', async () => {
  const checks = own['checks'] as ReturnType<typeof testing.storeConformance>;
  expect(checks.length).toBeGreaterThan(50);
  for (const { run } of checks.slice(0, 5)) await run();
});

test('the table of options names every option with its default', () => {
  const rows = [...guide.matchAll(/^\| `([\w.]+)` \| (.*?) \| (.*?) \|/gm)].map(([, name, , value]) => [name, value]);
  const { bounds, ...rest } = resolveOptions({ path: 'x' });
  const numbers = { 'bounds.perLane': bounds.perLane, 'bounds.perTenant': bounds.perTenant, ...rest };
  for (const [name, value] of Object.entries(numbers)) {
    const told = rows.find(([row]) => row === name)?.[1];
    expect([name, typeof value === 'number' ? Number(told) : told !== undefined]).toEqual([name, typeof value === 'number' ? value : true]); // prettier-ignore
  }
});

test('every code that opening a store gives of its own is in the guide', () => {
  const worker = ['files', 'migrate', 'database'].map((name) => readFileSync(`libs/sqlite/src/worker/${name}.ts`, 'utf8')).join(''); // prettier-ignore
  const codes = [...worker.matchAll(/'([A-Z]+(?:_[A-Z]+)+)'/g)].map(([, code]) => code as string);
  expect(codes.length).toBeGreaterThan(4);
  for (const code of codes) expect([code, guide.includes(`\`${code}\``)]).toEqual([code, true]);
});
