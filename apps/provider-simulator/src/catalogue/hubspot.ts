import type { SimulatedRequest, SimulatorOptions } from 'nestjs-sluice/testing';

const accountOf = ({ headers }: SimulatedRequest): string => headers['authorization'] ?? '';
const searches = ({ path }: SimulatedRequest): boolean => path.endsWith('/search');

const refused = { status: 'error', errorType: 'RATE_LIMIT' };
const POLICIES: Readonly<Record<string, string>> = {
  'ten-secondly': 'TEN_SECONDLY_ROLLING',
  search: 'SECONDLY',
  daily: 'DAILY',
};

/** HubSpot, Professional: 190 in ten seconds and a day of the account, told; five searches a second, counted apart and told by nothing. */
export function hubspot(perDay = 625_000): SimulatorOptions {
  const mine = { partition: accountOf } as const;
  return {
    limits: [
      {
        kind: 'sliding-window',
        name: 'ten-secondly',
        limit: 190,
        perMs: 10_000,
        applies: (request) => !searches(request),
        ...mine,
      },
      { kind: 'sliding-window', name: 'search', limit: 5, perMs: 1_000, applies: searches, ...mine },
      { kind: 'quota', name: 'daily', limit: perDay, per: 'day', ...mine },
    ],
    latencyMs: 150,
    refusal: {
      retryAfter: 'none',
      body: refused,
    },
    quotaBody: (body, { limits }) => {
      if (body !== refused) return body;
      const spent = limits.find(({ remaining }) => remaining === 0)?.name ?? 'search';
      return { ...refused, policyName: POLICIES[spent], message: `You have reached your ${spent} limit.` };
    },
    quotaHeaders: ({ limits }): Record<string, string> => {
      const rolling = limits.find(({ name }) => name === 'ten-secondly');
      const daily = limits.find(({ name }) => name === 'daily');
      // Searches tell nothing.
      if (rolling === undefined || daily === undefined) return {};
      return {
        'X-HubSpot-RateLimit-Daily': String(daily.limit),
        'X-HubSpot-RateLimit-Daily-Remaining': String(daily.remaining),
        'X-HubSpot-RateLimit-Interval-Milliseconds': '10000',
        'X-HubSpot-RateLimit-Max': String(rolling.limit),
        'X-HubSpot-RateLimit-Remaining': String(rolling.remaining),
      };
    },
  };
}
