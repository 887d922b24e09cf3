import { encodeResult } from './kept-result.js';
import { decodePayload } from './payload.js';

class Headers {
  constructor(fields: Record<string, unknown>) {
    Object.assign(this, fields);
  }
}

function response(data: unknown) {
  const headers = new Headers({ 'content-type': 'application/json', 'set-cookie': ['session=planted-cookie'] });
  const config = { headers: { Authorization: 'Bearer planted-token' }, validateStatus: () => true };
  return { status: 201, statusText: 'Created', headers, data, config, request: { socket: () => undefined } };
}

test('of a response of an HTTP client, status, headers and body are kept', () => {
  expect(decodePayload(encodeResult('crm', 'Crm.create', response({ number: 'A-1' })))).toEqual({
    status: 201,
    statusText: 'Created',
    headers: { 'content-type': 'application/json' },
    data: { number: 'A-1' },
  });
});

test('law 12: neither its cookies nor the credentials of its request are', () => {
  expect(encodeResult('crm', 'Crm.create', response('done'))).not.toMatch(/planted/);
});

test('a response whose body is no data cannot be kept', () => {
  expect(() =>
    encodeResult(
      'crm',
      'Crm.create',
      response(() => undefined),
    ),
  ).toThrow(/Crm\.create cannot be stored/);
});

test('whatever else a method gives is kept as it is', () => {
  const value = { status: 201, headers: {}, data: 1, config: 'none', at: new Date(5) };
  expect(decodePayload(encodeResult('crm', 'Crm.create', value))).toEqual(value);
});
