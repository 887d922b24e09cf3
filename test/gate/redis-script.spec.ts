import { readdirSync, readFileSync } from 'node:fs';
import { stepModule } from '../../scripts/step-script.mjs';

it('the script that is sent to Redis is made from the Lua sources as they are', () => {
  expect(readFileSync('libs/redis/src/generated/step-script.ts', 'utf8')).toBe(stepModule());
});

it('no part of it reaches for the keys and arguments of a script: a function of Redis is given them', () => {
  const folder = 'libs/redis/src/lua';
  const parts = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.lua'));
  expect(parts.length).toBeGreaterThan(50);
  const code = parts.map((name) => readFileSync(`${folder}/${name}`, 'utf8').replaceAll(/--.*$/gm, ''));
  expect(code.filter((text) => /\b(KEYS|ARGV)\b/.test(text))).toEqual([]);
});
