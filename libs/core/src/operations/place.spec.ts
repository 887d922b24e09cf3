import { defineProvider } from '../contract/define-provider.js';
import { placeOf } from './place.js';

const { resolved } = defineProvider({ name: 'crm', limits: [], dimensions: ['account'] });
const order = { orderingKey: 'invoices', reference: 'no-1' };

function place(tenant: string, account: string) {
  return placeOf(resolved, { lane: null, tenant, partition: { account } }, order);
}

test('law 11: work of one order or reference waits for its own tenant and partition only', () => {
  const own = place('a', '1');
  expect(place('a', '1')).toEqual(own);
  for (const other of [place('b', '1'), place('a', '2')]) {
    expect(other.orderingKey).not.toBe(own.orderingKey);
    expect(other.reference).not.toBe(own.reference);
  }
});

test('law 12: what is ordered and looked up by is stored as a hash', () => {
  const { orderingKey, reference, partition } = placeOf(
    resolved,
    { lane: null, tenant: '', partition: { account: 'ada@crm.example' } },
    { orderingKey: 'ada@crm.example', reference: 'ada@crm.example' },
  );
  expect(JSON.stringify([orderingKey, reference, partition])).not.toContain('ada');
});

test('an order that nobody asked for is none', () => {
  const { orderingKey, reference } = placeOf(
    resolved,
    { lane: null, tenant: 'a', partition: {} },
    { orderingKey: null, reference: null },
  );
  expect([orderingKey, reference]).toEqual([null, null]);
});
