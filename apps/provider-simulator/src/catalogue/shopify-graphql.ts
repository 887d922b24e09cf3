import type { LimitView, SimulatedRequest, SimulatorOptions } from 'nestjs-sluice/testing';

const PER_SECOND = 100;

const shopOf = ({ headers }: SimulatedRequest): string => headers['x-shopify-access-token'] ?? '';

const documentOf = ({ body }: SimulatedRequest): string =>
  String((body as { readonly query?: unknown } | undefined)?.query ?? '');

const asked = (request: SimulatedRequest): number => Number(/\bfirst:\s*(\d+)/.exec(documentOf(request))?.[1] ?? 1);

/** A mutation is 10 points; a connection 2, and one for each object that it is asked for. */
function requestedCost(request: SimulatedRequest): number {
  return /^\s*mutation\b/.test(documentOf(request)) ? 10 : 2 + asked(request);
}

/** @param share of what is asked for and found */
const actualCost =
  (share: number) =>
  (request: SimulatedRequest): number =>
    /^\s*mutation\b/.test(documentOf(request)) ? 10 : 2 + Math.ceil(asked(request) * share);

const throttled = {
  errors: [{ message: 'Throttled', extensions: { code: 'THROTTLED' } }],
};

function costOf(request: SimulatedRequest, { limit, remaining }: LimitView, actual: number | null): object {
  return {
    requestedQueryCost: requestedCost(request),
    actualQueryCost: actual,
    throttleStatus: { maximumAvailable: limit, currentlyAvailable: remaining, restoreRate: PER_SECOND },
  };
}

/**
 * Shopify's GraphQL Admin API, standard plan: a bucket of 2,000 points that gets 100 back a second, for each shop and app. What a query
 * might cost must fit before it runs; what it did not cost comes back with its answer, which tells it all in its body.
 *
 * @param share how full pages are found
 */
export function shopifyGraphql(share = 0.5): SimulatorOptions {
  const costed = actualCost(share);
  return {
    limits: [
      {
        kind: 'token-bucket',
        name: 'points',
        burst: 2_000,
        limit: PER_SECOND,
        perMs: 1_000,
        partition: shopOf,
        cost: requestedCost,
        actualCost: costed,
      },
    ],
    latencyMs: 250,
    routes: { 'POST /admin/api/:version/graphql.json': () => ({ status: 200, body: { data: {} } }) },
    refusal: { status: 200, retryAfter: 'none', body: throttled },
    quotaBody: (body, { limits }, request) => {
      const points = limits[0];
      if (points === undefined) return body;
      return {
        ...(body as object),
        extensions: { cost: costOf(request, points, body === throttled ? null : costed(request)) },
      };
    },
  };
}
