import fc from 'fast-check';
import { isSluiceError } from '../errors/sluice-error.js';
import { concurrency, quota, tokenBucket } from './builders.js';
import { defineProvider } from './define-provider.js';
import type { ProviderOptions } from './options.js';

const base = { name: 'crm', limits: [] as ProviderOptions['limits'] };
const bucket = tokenBucket({ burst: 30, limit: 30, per: '1m' });

test('law 12: what may be a credential is never part of the message', () => {
  const secret = 'Bearer 5ecret';
  for (const options of [
    { ...base, authorization: secret },
    { ...base, auth: secret },
    { ...base, auth: { credentials: secret } },
    { ...base, auth: { credentials: () => ({ headers: {} }), token: secret } },
    { ...base, http: secret },
    { ...base, http: { baseURL: { secret } } },
    { ...base, retry: { authorization: secret } },
  ]) {
    expect(() => defineProvider(options as unknown as ProviderOptions)).toThrow(/^(?!.*5ecret)/s);
  }
});

test('whatever is given, the answer is a contract or a CONFIG error', () => {
  const sane: ProviderOptions = {
    name: 'crm',
    dimensions: ['account'],
    limits: [bucket, concurrency({ limit: 8 }), quota({ limit: 40_000, per: 'day' })],
    lanes: { interactive: {}, background: {} },
    routes: { contact: 'GET /contacts/:id' },
    timeouts: {},
    retry: {},
    idempotency: {},
    reading: {},
  };
  const odd = fc.oneof(fc.constantFrom(Number.NaN, -1, 0, Infinity, '', '5s', 'x'), fc.anything());
  fc.assert(
    fc.property(
      fc.constantFrom(...(Object.keys(sane) as (keyof ProviderOptions)[])),
      odd,
      odd,
      fc.string(),
      (key, value, inner, name) => {
        for (const options of [
          { ...sane, [key]: value },
          { ...sane, [key]: { [name]: inner } },
          { ...sane, [key]: [inner] },
          value,
        ]) {
          try {
            defineProvider(options as ProviderOptions);
          } catch (error) {
            if (!isSluiceError(error, 'CONFIG')) throw error;
          }
        }
      },
    ),
    { numRuns: 300 },
  );
});
