import type { SimulatedLimit, SimulatedRequest, SimulatorOptions } from 'nestjs-sluice/testing';

const appAndSeller = ({ headers }: SimulatedRequest): string => headers['x-amz-access-token'] ?? '';

/** Calls of one operation: `burst` at once, `rate` a second. */
function operation(name: string, pattern: RegExp, rate: number, burst: number): SimulatedLimit {
  // Rates are told to a ten-thousandth.
  return {
    kind: 'token-bucket',
    name,
    burst,
    limit: Math.round(rate * 10_000),
    perMs: 10_000_000,
    partition: appAndSeller,
    applies: ({ method, path }) => pattern.test(`${method} ${path}`),
  };
}

/** Some operations of Amazon's Selling Partner API, each with a bucket for every pair of app and seller; of it the rate is told. */
export function amazonSpApi(): SimulatorOptions {
  return {
    limits: [
      operation('getOrders', /^GET \/orders\/v0\/orders$/, 0.0167, 20),
      operation('getOrderItems', /^GET \/orders\/v0\/orders\/[^/]+\/orderItems$/, 0.5, 30),
      operation('getListingsItem', /^GET \/listings\/2021-08-01\/items\/[^/]+\/[^/]+$/, 5, 10),
      operation('createFeedDocument', /^POST \/feeds\/2021-06-30\/documents$/, 0.5, 15),
      operation('searchCatalogItems', /^GET \/catalog\/2022-04-01\/items$/, 2, 2),
    ],
    latencyMs: 200,
    refusal: {
      retryAfter: 'none',
      body: { errors: [{ code: 'QuotaExceeded', message: 'You exceeded your quota for the requested resource.' }] },
    },
    quotaHeaders: ({ limits }): Record<string, string> => {
      const rate = RATES[limits[0]?.name ?? ''];
      return rate === undefined ? {} : { 'x-amzn-RateLimit-Limit': rate };
    },
  };
}

const RATES: Readonly<Record<string, string>> = {
  getOrders: '0.0167',
  getOrderItems: '0.5',
  getListingsItem: '5.0',
  createFeedDocument: '0.5',
  searchCatalogItems: '2.0',
};
