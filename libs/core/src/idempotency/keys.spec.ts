import { isSluiceError } from '../errors/sluice-error.js';
import { SeededRandom } from '../../../testing/src/index.js';
import { fingerprintOf, operationOf, randomKey, randomOperation, requestKey } from './keys.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[48][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const invoice = { method: 'post', route: 'invoices', path: '/v1/invoices' };

describe('law 12: the keys of an operation and its requests', () => {
  it('case 131: are the same for the same scope and key, at any time and in any process', () => {
    const keys = () => {
      const operation = operationOf('Invoices.create', 'timesheet-17');
      return [
        operation.id,
        operation.key,
        requestKey(operation, invoice),
        requestKey(operation, { ...invoice, step: 'lines' }),
      ];
    };
    expect(keys()).toEqual(keys());
    // Pinned: another process, or this one after a deploy, must come to the same keys.
    expect(keys()).toEqual([
      'ace7c85c-2a7f-84c4-98e2-3714d37c871b',
      'be8b3241-8cb0-8114-9ab8-9cc78b2227e9',
      '82e174e6-766e-84fd-abd3-11d5d16888f2',
      '2ad69894-0113-8cbb-90aa-2fbf3e1cbc48',
    ]);
  });

  it('hold nothing of what they were made from', () => {
    const operation = operationOf('Invoices.create', 'ada@example.com');
    for (const key of [operation.id, operation.key, requestKey(operation, { ...invoice, step: 'ada@example.com' })]) {
      expect(key).toMatch(UUID);
    }
  });

  it('differ by scope, key, step, method, route, path and by how often a request was made', () => {
    const operation = operationOf('Invoices.create', 'a');
    const keys = [
      operation.key,
      operation.id,
      operationOf('Invoices.create', 'b').key,
      operationOf('Invoices.void', 'a').key,
      requestKey(operation, invoice),
      requestKey(operation, invoice),
      requestKey(operation, { ...invoice, method: 'put' }),
      requestKey(operation, { ...invoice, route: null }),
      requestKey(operation, { ...invoice, path: '/v2/invoices' }),
      requestKey(operation, { ...invoice, step: 'one' }),
      requestKey(operation, { ...invoice, step: 'two' }),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('do not run together: parts are told apart', () => {
    expect(operationOf('a', 'bc').key).not.toBe(operationOf('ab', 'c').key);
  });

  it('are random where nothing tells the operation from others', () => {
    const random = new SeededRandom(1);
    const keys = Array.from({ length: 1000 }, () => randomKey(random));
    expect(new Set(keys).size).toBe(1000);
    for (const key of keys) expect(key).toMatch(UUID);
    expect(randomOperation(random).key).not.toBe(randomOperation(random).key);
  });
});

describe('the fingerprint of an operation', () => {
  it('is the same for equal arguments, and holds nothing of them', () => {
    const print = fingerprintOf('crm', 'Invoices.create', [{ b: 2n, a: new Date(0), c: undefined }]);
    expect(print).toBe(fingerprintOf('crm', 'Invoices.create', [{ a: new Date(0), b: 2n }]));
    expect(print).toMatch(/^[\w-]{43}$/);
  });

  it('refuses what cannot be compared with a CONFIG error that says where, and shows no value', () => {
    const cycle: Record<string, unknown> = { name: 'Ada' };
    cycle['self'] = cycle;
    let error: unknown;
    try {
      fingerprintOf('crm', 'Invoices.create', [cycle]);
    } catch (thrown) {
      error = thrown;
    }
    expect(isSluiceError(error, 'CONFIG')).toBe(true);
    expect(String(error)).toContain('Invoices.create');
    expect(String(error)).toContain('$[0].self');
    expect(String(error)).not.toContain('Ada');
  });
});
