import type { ResolvedContract, ResolvedLimit } from '../contract/resolved.js';

const US_PER_MS = 1_000;

/** What the lanes of a contract are guaranteed, in numbers. */
export interface Guaranteed {
  /** Index, among the limits of the whole provider, of the one that is shared out: the first that has a rate. */
  readonly account: number;
  /** Its rate per microsecond, and what it holds. */
  readonly perUs: number;
  readonly size: number;
  /** By lane: its share of all that is granted (0 = none), and what the other lanes have reserved of that account and of permits. */
  readonly lanes: readonly { readonly share: number; readonly reserved: number; readonly permits: number }[];
}

/** Null = no lane has a guarantee. */
export function guaranteedBy({ limits, lanes }: ResolvedContract): Guaranteed | null {
  const wide = limits.filter((limit) => limit.countedBy.length === 0 && limit.routes === null);
  const account = wide.findIndex(({ kind }) => kind !== 'concurrency' && kind !== 'quota');
  const limit = wide[account];
  if (limit === undefined || !('perMs' in limit) || lanes.every(({ guarantee }) => guarantee <= 0)) return null;
  const reservedOf = ({ name }: ResolvedLimit, own: number): number =>
    lanes.reduce((sum, { index, reserve }) => sum + (index === own ? 0 : (reserve[name] ?? 0)), 0);
  const permits = wide.filter(({ kind }) => kind === 'concurrency');
  return {
    account,
    perUs: limit.limit / (limit.perMs * US_PER_MS),
    size: 'burst' in limit ? limit.burst : limit.limit,
    lanes: lanes.map(({ index, guarantee }) => ({
      share: guarantee,
      reserved: reservedOf(limit, index),
      permits: Math.max(0, ...permits.map((one) => reservedOf(one, index))),
    })),
  };
}
