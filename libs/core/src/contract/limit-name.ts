import type { ResolvedContract } from './resolved.js';

/** Name of a limit by its number; null = none was meant, or there is no such limit any more. */
export function limitNameOf({ limits }: ResolvedContract, limit: number | null): string | null {
  return limit === null ? null : (limits[limit]?.name ?? null);
}
