import { dropShelf, samePartition, type Shelves, shelfOf } from './reuse.js';

test('a shelf is of one provider and partition, and a write takes no other away', () => {
  const shelves: Shelves = new Map();
  const one = shelfOf(shelves, 'crm', { account: '1' });
  const two = shelfOf(shelves, 'crm', { account: '2' });
  const other = shelfOf(shelves, 'erp', { account: '1' });
  expect(new Set([one, two, other]).size).toBe(3);
  expect(shelfOf(shelves, 'crm', { account: '1' })).toBe(one);
  dropShelf(shelves, 'crm', { account: '1' });
  expect(shelfOf(shelves, 'crm', { account: '1' })).not.toBe(one);
  expect(shelfOf(shelves, 'crm', { account: '2' })).toBe(two);
  expect(shelfOf(shelves, 'erp', { account: '1' })).toBe(other);
});

test('an inbound request that reads for ever more partitions keeps those of the first hundred', () => {
  const shelves: Shelves = new Map();
  for (let account = 0; account < 500; account += 1) shelfOf(shelves, 'crm', { account: String(account) });
  expect(shelves.size).toBe(100);
  expect(shelfOf(shelves, 'crm', { account: '400' })).toBeNull();
  expect(shelfOf(shelves, 'crm', { account: '99' })).toBeInstanceOf(Map);
});

test('partitions are the same where all their values are', () => {
  expect(samePartition({ a: '1', b: '2' }, { b: '2', a: '1' })).toBe(true);
  expect(samePartition({ a: '1' }, { a: '2' })).toBe(false);
  expect(samePartition({ a: '1' }, { a: '1', b: '2' })).toBe(false);
  expect(samePartition({}, {})).toBe(true);
});
