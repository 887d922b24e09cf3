import { readFileSync } from 'node:fs';
import { stepModule } from '../../scripts/step-script.mjs';

it('the script that is sent to Redis is made from the Lua sources as they are', () => {
  expect(readFileSync('libs/redis/src/generated/step-script.ts', 'utf8')).toBe(stepModule());
});
