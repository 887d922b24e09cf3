import type { ResolvedLimit } from './resolved.js';

/** The most that may be used of a limit at one moment, as its contract states it: the guard takes a little of it. */
export function capacityOf(limit: ResolvedLimit): number {
  return limit.kind === 'token-bucket' ? limit.burst : limit.limit;
}
