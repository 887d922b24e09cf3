import type { SimulatedRequest, SimulatorOptions } from 'nestjs-sluice/testing';

const shopOf = ({ headers }: SimulatedRequest): string => headers['x-shopify-access-token'] ?? '';

/** Shopify's REST Admin API: a bucket of 40 that leaks two a second, for each shop and app, told as used/size. */
export function shopifyRest(): SimulatorOptions {
  return {
    limits: [{ kind: 'token-bucket', name: 'calls', burst: 40, limit: 2, perMs: 1_000, partition: shopOf }],
    latencyMs: 200,
    refusal: {
      body: {
        errors: 'Exceeded 2 calls per second for api client. Reduce request rates to resume uninterrupted service.',
      },
    },
    quotaHeaders: ({ tightest }): Record<string, string> =>
      tightest === undefined
        ? {}
        : { 'X-Shopify-Shop-Api-Call-Limit': `${tightest.limit - tightest.remaining}/${tightest.limit}` },
  };
}
