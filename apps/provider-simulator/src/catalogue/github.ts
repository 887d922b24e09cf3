import type { SimulatedRequest, SimulatorOptions } from 'nestjs-sluice/testing';

const tokenOf = ({ headers }: SimulatedRequest): string => headers['authorization'] ?? '';
const reads = ({ method }: SimulatedRequest): boolean => /^(?:GET|HEAD|OPTIONS)$/.test(method);
const createsContent = ({ method, path }: SimulatedRequest): boolean =>
  method === 'POST' && /\/(?:issues|pulls|comments)$/.test(path);

const PRIMARY = 'API rate limit exceeded for user ID 1.';
const SECONDARY = 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.';
const refused = { documentation_url: 'https://docs.github.com/rest/overview/rate-limits-for-the-rest-api' };

/** GitHub's REST API: an hour that begins with its first request, told; and, told by nothing, 900 points and 80 new contents a minute, 500 an hour, and 100 at once. */
export function github(perHour = 5_000): SimulatorOptions {
  const mine = { partition: tokenOf } as const;
  return {
    limits: [
      { kind: 'fixed-window', name: 'core', limit: perHour, perMs: 3_600_000, ...mine },
      {
        kind: 'sliding-window',
        name: 'points',
        limit: 900,
        perMs: 60_000,
        cost: (request) => (reads(request) ? 1 : 5),
        ...mine,
      },
      { kind: 'sliding-window', name: 'content', limit: 80, perMs: 60_000, applies: createsContent, ...mine },
      { kind: 'sliding-window', name: 'content-hour', limit: 500, perMs: 3_600_000, applies: createsContent, ...mine },
      { kind: 'concurrency', name: 'concurrent', limit: 100, ...mine },
    ],
    latencyMs: ({ method }) => (method === 'GET' ? 150 : 400),
    refusal: {
      status: 403,
      body: refused,
    },
    quotaBody: (body, { limits }) => {
      if (body !== refused) return body;
      const core = limits.find(({ name }) => name === 'core');
      return { ...refused, message: core?.remaining === 0 ? PRIMARY : SECONDARY };
    },
    quotaHeaders: ({ limits, wallMs }): Record<string, string> => {
      const core = limits.find(({ name }) => name === 'core');
      if (core === undefined) return {};
      return {
        'x-ratelimit-limit': String(core.limit),
        'x-ratelimit-remaining': String(core.remaining),
        'x-ratelimit-used': String(core.limit - core.remaining),
        'x-ratelimit-reset': String(Math.ceil((wallMs + (core.resetUs ?? 0) / 1_000) / 1_000)),
        'x-ratelimit-resource': 'core',
      };
    },
  };
}
