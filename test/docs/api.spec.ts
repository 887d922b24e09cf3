import { readFileSync } from 'node:fs';
import * as main from 'nestjs-sluice';
import * as providers from 'nestjs-sluice/providers';
import * as redis from 'nestjs-sluice/redis';
import * as sqlite from 'nestjs-sluice/sqlite';
import * as testing from 'nestjs-sluice/testing';

/** A public name comes and goes on purpose only: with a line of docs/api. */
test.each([
  ['nestjs-sluice', 'docs/api/main.txt', main],
  ['nestjs-sluice/providers', 'docs/api/providers.txt', providers],
  ['nestjs-sluice/redis', 'docs/api/redis.txt', redis],
  ['nestjs-sluice/sqlite', 'docs/api/sqlite.txt', sqlite],
  ['nestjs-sluice/testing', 'docs/api/testing.txt', testing],
])('%s exports exactly the names of %s, sorted', (_, file, exported) => {
  expect(readFileSync(file, 'utf8')).toBe(`${Object.keys(exported).sort().join('\n')}\n`);
});

test('package.json has a way in for every list of names, and for package.json', () => {
  const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: Record<string, unknown> };
  expect(Object.keys(exports)).toEqual(['.', './providers', './redis', './sqlite', './testing', './package.json']);
});
