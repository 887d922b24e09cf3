import type { SimulatedLimit, SimulatedRequest, SimulatorOptions } from 'nestjs-sluice/testing';

const S_MS = 1_000;

/** Buckets as Discord keeps them for each channel: numbers that it tells in headers alone, and may change. */
const BUCKETS = [
  { name: 'b-message', limit: 5, perMs: 5 * S_MS, matches: /^POST .*\/channels\/\d+\/messages$/ },
  { name: 'b-history', limit: 10, perMs: 2 * S_MS, matches: /^GET .*\/channels\/\d+\/messages$/ },
];

const channelOf = ({ path }: SimulatedRequest): string => /\/channels\/(\d+)/.exec(path)?.[1] ?? '';

const limits: SimulatedLimit[] = BUCKETS.map(({ name, limit, perMs, matches }) => ({
  kind: 'fixed-window',
  name,
  limit,
  perMs,
  applies: ({ method, path }) => matches.test(`${method} ${path}`),
  partition: channelOf,
}));

const refused = { message: 'You are being rate limited.' };

/** Discord: fifty a second of the bot, and buckets of each route and channel that only their answers tell of. */
export function discord(): SimulatorOptions {
  return {
    limits: [{ kind: 'sliding-window', name: 'global', limit: 50, perMs: S_MS }, ...limits],
    latencyMs: 80,
    refusal: { body: refused },
    quotaBody: (body, { limits }) => {
      if (body !== refused) return body;
      const spent = limits.filter(({ remaining }) => remaining === 0);
      const waitUs = Math.max(...spent.map(({ resetUs }) => resetUs ?? 0));
      return { ...refused, retry_after: waitUs / 1_000 / S_MS, global: spent.every(({ name }) => name === 'global') };
    },
    quotaHeaders: (view): Record<string, string> => {
      const bucket = view.limits.find(({ name }) => name.startsWith('b-'));
      if (bucket === undefined) return {};
      const afterS = (bucket.resetUs ?? 0) / 1_000 / S_MS;
      return {
        'X-RateLimit-Limit': String(bucket.limit),
        'X-RateLimit-Remaining': String(bucket.remaining),
        'X-RateLimit-Reset': (view.wallMs / S_MS + afterS).toFixed(3),
        'X-RateLimit-Reset-After': afterS.toFixed(3),
        'X-RateLimit-Bucket': bucket.name,
      };
    },
  };
}
