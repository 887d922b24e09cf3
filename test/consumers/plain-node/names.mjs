// Every sub-path loads by import and by require, as one and the same module, and exports exactly the names of docs/api.
import 'reflect-metadata';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
for (const [path, file] of [
  ['nestjs-sluice', 'main.txt'],
  ['nestjs-sluice/providers', 'providers.txt'],
  ['nestjs-sluice/redis', 'redis.txt'],
  ['nestjs-sluice/sqlite', 'sqlite.txt'],
  ['nestjs-sluice/testing', 'testing.txt'],
]) {
  const imported = await import(path);
  const required = require(path);
  const expected = readFileSync(new URL(`api/${file}`, import.meta.url), 'utf8')
    .trim()
    .split('\n');
  assert.deepEqual(Object.keys(imported).sort(), expected, `exports of ${path}`);
  for (const name of expected)
    assert.equal(required[name], imported[name], `${path}: ${name} is one value by import and by require`);
}
console.log('names: ok');
