import { PROVIDERS } from '../reading/catalogue.fixture.js';
import type { ContractReading } from '../reading/options.js';
import { checkShape } from './check-shape.js';
import { frozenCopy } from './freeze.js';
import { readingShape } from './shape-reading.js';

test.each(Object.keys(PROVIDERS))(
  'what %s needs said about its answers passes the check, copied and frozen',
  (name) => {
    // A function of the contract is no part of its data.
    const { classify: _, ...data } = PROVIDERS[name] as ContractReading;
    expect(checkShape(readingShape, frozenCopy(data))).toEqual([]);
  },
);

test.each<[string, unknown]>([
  ['scopes.core', { scopes: { core: 5 } }],
  ['waits[0]', { waits: [5] }],
  ['waits[0].as', { waits: [{ from: 'x-reset', as: 'minutes' }] }],
  ['waits[0].from', { waits: [{ from: {}, as: 'auto' }] }],
  ['pickWait', { pickWait: 'last' }],
  ['windows[0].limit', { windows: [{ limit: 'x limit' }] }],
  ['windows[0].scope.from', { windows: [{ scope: { from: 5 } }] }],
  ['windows[0].perSecond', { windows: [{ perSecond: -1 }] }],
  ['windows[0].reset.body', { windows: [{ reset: { body: '' } }] }],
  ['windows[0].used.pattern', { windows: [{ used: { header: 'x-used', pattern: '^(a' } }] }],
  ['fields[0].header', { fields: [{ policy: 'RateLimit-Policy' }] }],
  ['rules[0].when', { rules: [{ limited: true }] }],
  ['rules[0].when.status', { rules: [{ when: { status: 42 } }] }],
  ['rules[0].when.body.error', { rules: [{ when: { body: { error: null } } }] }],
  ['rules[0].when.body.error.matches', { rules: [{ when: { body: { error: { matches: 'a(' } } } }] }],
  ['rules[0].waitMs', { rules: [{ when: { status: 403 }, waitMs: Number.NaN }] }],
  ['cost', { cost: 1 }],
  ['nearLimit.is', { nearLimit: { from: 'x-near' } }],
  ['batch.list', { batch: { status: 'code' } }],
])('%s is refused by its path', (option, reading) => {
  expect(checkShape(readingShape, reading).map((finding) => finding.option)).toEqual([option]);
});
