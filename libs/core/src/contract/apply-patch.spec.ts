import { applyPatch } from './apply-patch.js';
import { concurrency, quota, slidingWindow, tokenBucket } from './builders.js';
import { defineProvider } from './define-provider.js';
import type { ProviderPatch } from './options.js';

const contract = defineProvider({
  name: 'crm',
  dimensions: ['account'],
  routes: { search: 'GET /search' },
  limits: [
    tokenBucket({ name: 'minute', burst: 30, limit: 30, per: '1m', countedBy: [] }),
    concurrency({ limit: 8 }),
    slidingWindow({ limit: 100, per: '10s', routes: ['search'] }),
    quota({ limit: 40_000, per: 'day', reserve: { interactive: 0.1 } }),
  ],
  lanes: { interactive: {}, background: { ceiling: { limit: 45, per: '1m' }, maxQueued: 7 } },
  timeouts: { attempt: '20s' },
  breaker: { consecutiveFailures: 3 },
});

function refusal(patch: unknown): string {
  try {
    applyPatch(contract, patch as ProviderPatch);
  } catch (error) {
    expect(error).toMatchObject({ code: 'CONFIG', provider: 'crm' });
    return (error as Error).message;
  }
  throw new Error('The patch was accepted.');
}

test('numbers of a limit change, matched by its name; the other limits stay', () => {
  const { resolved } = applyPatch(contract, {
    limits: [tokenBucket({ name: 'minute', burst: 10, limit: 20, per: '30s' }), concurrency({ limit: 4 })],
  });
  expect(resolved.limits).toMatchObject([
    { name: 'minute', burst: 10, limit: 20, perMs: 30_000, countedBy: [] },
    { name: 'concurrency', limit: 4, countedBy: ['account'] },
    { name: 'sliding-window', limit: 100, routes: ['search'] },
    { name: 'quota', limit: 40_000, reserveByLane: [0.1, 0] },
  ]);
});

test('sections are merged: what the patch leaves out stays', () => {
  const { resolved } = applyPatch(contract, {
    lanes: { background: { maxWait: '9s' } },
    timeouts: { total: '1m' },
    breaker: { probeEvery: '5s' },
    ourShare: 0.5,
  });
  expect(resolved.lanes.map(({ name }) => name)).toEqual(['interactive', 'background']);
  expect(resolved.lanes[1]).toMatchObject({ maxWaitMs: 9_000, maxQueued: 7, ceiling: { limit: 45, perMs: 60_000 } });
  expect(resolved.timeouts).toMatchObject({ attemptMs: 20_000, totalMs: 60_000 });
  expect(resolved.breaker).toMatchObject({ consecutiveFailures: 3, probeEveryMs: 5_000 });
  expect(resolved.limits[1]).toMatchObject({ limit: 4 });
});

test('the mode changes for the lanes that have none of their own', () => {
  const { resolved } = applyPatch(contract, { mode: 'observe', lanes: { interactive: { mode: 'enforce' } } });
  expect(resolved.mode).toBe('observe');
  expect(resolved.lanes.map(({ mode }) => mode)).toEqual(['enforce', 'observe']);
});

test('the breaker can be switched off, and on again', () => {
  const off = applyPatch(contract, { breaker: false });
  expect(off.resolved.breaker).toBeNull();
  expect(applyPatch(off, { breaker: {} }).resolved.breaker).toMatchObject({ consecutiveFailures: 5 });
});

test('an empty patch, or one of undefined values, changes nothing', () => {
  expect(applyPatch(contract, {}).resolved).toEqual(contract.resolved);
  expect(applyPatch(contract, { limits: undefined, timeouts: { total: undefined } }).resolved).toEqual(
    contract.resolved,
  );
});

test('the contract that was patched stays as it was, and the new one is frozen too', () => {
  const before = JSON.stringify(contract);
  const patched = applyPatch(contract, { limits: [concurrency({ limit: 1 })], mode: 'observe' });
  expect(JSON.stringify(contract)).toBe(before);
  expect(Object.isFrozen(patched.resolved.limits[1])).toBe(true);
});

test.each<[string, unknown]>([
  ['name is not to be changed while calls are under way; expected one of limits, lanes,', { name: 'erp' }],
  ['dimensions is not to be changed', { dimensions: [] }],
  ['limts is not to be changed', { limts: [] }],
  ['retry.maxAttemps is not an option', { retry: { maxAttemps: 3 } }],
  ['timeouts.attempt is "20s"; expected at most timeouts.total, which is 15s', { timeouts: { total: '15s' } }],
  ['lanes.batch is a new lane; expected one that is there: interactive, background', { lanes: { batch: {} } }],
  [
    'limits[0] is called "hourly"; expected the name of one that is there: minute,',
    { limits: [tokenBucket({ name: 'hourly', burst: 1, limit: 1, per: '1h' })] },
  ],
  [
    'limits[1] is called "minute"; expected each limit once',
    {
      limits: [
        tokenBucket({ name: 'minute', burst: 1, limit: 1, per: '1m' }),
        tokenBucket({ name: 'minute', burst: 2, limit: 1, per: '1m' }),
      ],
    },
  ],
  [
    'limits[0].limit (limit "minute") is NaN; expected a number above 0',
    { limits: [{ name: 'minute', kind: 'token-bucket', limit: Number.NaN }] },
  ],
  ['limits is {}; expected a list', { limits: {} }],
  ['limits[0] is null; expected a limit', { limits: [null] }],
  ['the patch is null; expected an object', null],
  [
    'countedBy of limit "minute" is ["account"]; expected [], as before',
    { limits: [tokenBucket({ name: 'minute', burst: 1, limit: 1, per: '1m', countedBy: ['account'] })] },
  ],
  [
    'unit of limit "minute" is "points"; expected "requests", as before',
    { limits: [tokenBucket({ name: 'minute', unit: 'points', burst: 1, limit: 1, per: '1m' })] },
  ],
  [
    'routes of limit "minute" is ["search"]; expected null, as before',
    { limits: [tokenBucket({ name: 'minute', burst: 1, limit: 1, per: '1m', routes: ['search'] })] },
  ],
  ['per of limit "quota" is "month"; expected "day", as before', { limits: [quota({ limit: 9_000, per: 'month' })] }],
  [
    'limits[0].kind is "sliding-window"; expected "token-bucket", as limit "minute" is',
    { limits: [slidingWindow({ name: 'minute', limit: 9, per: '1m' })] },
  ],
  [
    'timeZone of limit "quota" is "Asia/Tokyo"; expected "UTC", as before',
    { limits: [quota({ limit: 9_000, per: 'day', timeZone: 'Asia/Tokyo' })] },
  ],
])('refused as a whole: %s', (expected, patch) => {
  expect(refusal(patch)).toContain(`Provider "crm": ${expected}`);
});
