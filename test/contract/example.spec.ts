import { crm } from '../types/contract.types.js';

test('the contract of the design is valid, and means what it says', () => {
  expect(crm.name).toBe('crm');
  expect(crm.resolved.limits.map(({ name }) => name)).toEqual([
    'token-bucket',
    'sliding-window',
    'minute',
    'concurrency',
    'tokens',
    'quota',
  ]);
  expect(crm.resolved.limits.map(({ countedBy }) => countedBy.length)).toEqual([1, 2, 2, 2, 2, 2]);
  expect(crm.resolved.limits[5]).toMatchObject({ reserveByLane: [0.1, 0] });
  expect(crm.resolved.defaultLane).toBe(1);
  expect(crm.resolved.retry.budget).toEqual({ ratio: 0.1, floor: 4, onSpent: 'wait' });
  expect(crm.resolved.reading).toMatchObject({
    scopes: { minute: 'minute' },
    windows: [{ remaining: 'x-minlimit-remaining', reset: { from: 'x-min-reset', as: 'epoch-seconds' } }],
    rules: [{ means: 'limited' }, { means: 'key-in-use' }, { means: 'overloaded' }],
  });
  expect(crm.resolved.idempotency).toMatchObject({ accepts: ['POST'], retentionMs: 86_400_000 });
});
