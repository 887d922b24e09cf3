import { readFileSync } from 'node:fs';
import type { StopReason } from '../pipeline/call.js';
import { SLUICE_ERROR_CODES } from './sluice-error.js';

const guide = readFileSync('docs/errors.md', 'utf8');
const entries = guide
  .split(/^### /m)
  .slice(1)
  .map((text) => ({ code: text.slice(0, text.indexOf('\n')), text: text.split(/^## /m)[0]! }));

/** Every reason, checked by the compiler. */
const reasons: Record<StopReason, true> = {
  permanent: true,
  'attempts-exhausted': true,
  'budget-exhausted': true,
  deadline: true,
  'wait-too-long': true,
  paused: true,
  'circuit-open': true,
  queue: true,
  auth: true,
  unsafe: true,
};

test('docs/errors.md has one entry for each code, and none for any other', () => {
  expect(entries.map(({ code }) => code).sort()).toEqual([...SLUICE_ERROR_CODES].sort());
});

test.each(entries)('$code is explained: what it means, when it comes, what to do', ({ text }) => {
  for (const part of ['Meaning', 'When', 'What to do']) {
    expect(text).toMatch(new RegExp(`^\\*\\*${part}\\*\\* \\S.{5,}`, 'm'));
  }
});

test('docs/errors.md lists each reason of a stop, and no other', () => {
  const section = guide.slice(guide.indexOf('## Reasons'));
  const listed = [...section.matchAll(/^\| `([a-z-]+)` \| .{10,} \|$/gm)].map(([, reason]) => reason);
  expect(listed.sort()).toEqual(Object.keys(reasons).sort());
});
