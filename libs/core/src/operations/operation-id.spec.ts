import { operationId } from './operation-id.js';
import { storeRefusal } from './store-refusal.js';

test('law 12: the id of an operation is the same for the same key, another for each other part, and tells nothing', () => {
  const id = operationId('crm', 'Invoices.create', 'ada@example.com');
  // Pinned: another process, or this one after a deploy, must come to the same id.
  expect(id).toBe('677f6b52-f9a8-86d3-ad85-6ebf8de1b3b7');
  const others = [operationId('erp', 'Invoices.create', 'ada@example.com'), operationId('crm', 'Invoices.void', 'ada@example.com'), operationId('crm', 'Invoices.create', 'bob@example.com')]; // prettier-ignore
  expect(new Set([id, ...others]).size).toBe(4);
});

test('what the store does not take is refused with its own code and the bound', () => {
  const refused = storeRefusal('crm', { type: 'refused', code: 'QUEUE_FULL', of: 'tenant', limit: 7 });
  expect([refused.code, refused.provider]).toEqual(['QUEUE_FULL', 'crm']);
  expect(refused.message).toContain('7 open operations of this tenant');
  expect(
    storeRefusal('crm', { type: 'refused', code: 'PAYLOAD_TOO_LARGE', of: 'payload', limit: 9 }).message,
  ).toContain('9 bytes');
});
