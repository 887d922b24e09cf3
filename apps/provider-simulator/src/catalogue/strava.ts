import type { QuotaView, SimulatedRequest, SimulatorOptions } from 'nestjs-sluice/testing';

const QUARTER_MS = 900_000;

/** Uploads and new activities are the only calls that are no reads. */
const reads = ({ method, path }: SimulatedRequest): number =>
  method === 'POST' && /\/(?:uploads|activities)$/.test(path) ? 0 : 1;

/** Strava: quarters of an hour of the clock and days of UTC, for all calls and, half as many, for reads; what it refuses counts for the day. */
export function strava({ perQuarterHour = 200, perDay = 2_000 } = {}): SimulatorOptions {
  return {
    limits: [
      { kind: 'fixed-window', name: '15min', limit: perQuarterHour, perMs: QUARTER_MS, align: 'clock' },
      { kind: 'quota', name: 'day', limit: perDay, per: 'day', refusedCalls: 'count' },
      {
        kind: 'fixed-window',
        name: 'read:15min',
        limit: perQuarterHour / 2,
        perMs: QUARTER_MS,
        align: 'clock',
        cost: reads,
      },
      { kind: 'quota', name: 'read:day', limit: perDay / 2, per: 'day', refusedCalls: 'count', cost: reads },
    ],
    latencyMs: 250,
    refusal: {
      retryAfter: 'none',
      body: {
        message: 'Rate Limit Exceeded',
        errors: [{ resource: 'Application', field: 'rate limit', code: 'exceeded' }],
      },
    },
    quotaHeaders: (view) => ({
      ...told(view, 'X-RateLimit', ['15min', 'day']),
      ...told(view, 'X-ReadRateLimit', ['read:15min', 'read:day']),
    }),
  };
}

function told({ limits }: QuotaView, prefix: string, names: readonly string[]): Record<string, string> {
  const views = limits.filter(({ name }) => names.includes(name));
  return {
    [`${prefix}-Limit`]: views.map(({ limit }) => limit).join(','),
    [`${prefix}-Usage`]: views.map(({ limit, remaining }) => limit - remaining).join(','),
  };
}
