import { guardBucket } from '../gate/guard.js';
import type { ResolvedContract, ResolvedLimit } from './resolved.js';

/** Share of a limit's rate that is left when its guard is taken off, 1 = all of it. */
export function rateKept(contract: ResolvedContract, limit: ResolvedLimit): number {
  const guard = contract.guardMs;
  switch (limit.kind) {
    case 'token-bucket': {
      // The dearest call that is known before any was made; where `units` tells the cost, calls may differ.
      const cost = contract.defaultUnits[limit.unit] ?? 1;
      const equal = contract.options.units === undefined;
      const perMs = limit.limit / limit.perMs;
      const guarded = guardBucket(limit.burst, perMs, guard, cost, equal);
      return guarded.serial ? cost / (cost + perMs * guard) : guarded.rate / perMs;
    }
    case 'sliding-window':
      return limit.perMs / (limit.perMs + guard);
    case 'fixed-window':
      // A call near the edge of a window counts in both; where edges are unknown it is a sliding window.
      return limit.perMs / (limit.perMs + (limit.align === 'clock' ? 2 : 1) * guard);
    default:
      return 1;
  }
}
