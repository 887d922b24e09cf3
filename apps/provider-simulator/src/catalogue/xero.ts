import type { SimulatedRequest, SimulatorOptions } from 'nestjs-sluice/testing';

const tenantOf = ({ headers }: SimulatedRequest): string => headers['xero-tenant-id'] ?? '';

/** Xero: a minute, a day and five calls at once for each tenant, a minute for the app. */
export function xero(): SimulatorOptions {
  return {
    limits: [
      { kind: 'sliding-window', name: 'minute', limit: 60, perMs: 60_000, partition: tenantOf },
      { kind: 'fixed-window', name: 'day', limit: 5_000, perMs: 86_400_000, partition: tenantOf },
      { kind: 'concurrency', name: 'concurrent', limit: 5, partition: tenantOf },
      { kind: 'sliding-window', name: 'appminute', limit: 10_000, perMs: 60_000 },
    ],
    latencyMs: 300,
    quotaHeaders: ({ limits }) => {
      const left = (name: string) => String(limits.find((limit) => limit.name === name)?.remaining ?? 0);
      return {
        'X-MinLimit-Remaining': left('minute'),
        'X-DayLimit-Remaining': left('day'),
        'X-AppMinLimit-Remaining': left('appminute'),
      };
    },
  };
}
