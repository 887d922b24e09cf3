/** What the provider's log says of a run. */
import { guardBucket } from '../../libs/core/src/gate/guard.js';
import { GUARD_MS } from './plan.js';
import type { Seen } from './provider.js';
import type { Outcome } from './world.js';

const US_PER_MS = 1_000;
const MS_PER_SECOND = 1_000;

/** B' and r' of a bucket of single calls: what can be granted so that nothing is refused which arrives up to J late. */
export function guarded(burst: number, perSecond: number): { readonly burst: number; readonly perMs: number } {
  const perMs = perSecond / MS_PER_SECOND;
  const { capacity, rate } = guardBucket(burst, perMs / US_PER_MS, GUARD_MS * US_PER_MS, 1, true);
  return { burst: capacity, perMs: rate * US_PER_MS };
}

/** Calls between two moments, as a share of what B' and r' allow in that time. `kept`: what the last to come may not touch. */
export function shareOfBucket(
  seen: readonly Seen[],
  burst: number,
  perSecond: number,
  fromMs: number,
  toMs: number,
  kept = 0,
): number {
  const allowed = guarded(burst, perSecond);
  return arrivedIn(seen, fromMs, toMs) / (allowed.burst - kept + allowed.perMs * (toMs - fromMs));
}

/** Of calls that all came at once: from the first to the last that arrived. */
export function shareOfBurst(seen: readonly Seen[], burst: number, perSecond: number, kept = 0): number {
  const [first, last] = spanOf(seen);
  return shareOfBucket(seen, burst, perSecond, first, last, kept);
}

/** Of calls that all came at once: the least time that so many a window (and J) take, to the time they took. */
export function shareOfWindows(seen: readonly Seen[], limit: number, perMs: number): number {
  const [first, last] = spanOf(seen);
  const windows = Math.ceil(seen.length / limit) - 1;
  return (windows * (perMs + GUARD_MS)) / (last - first);
}

/** Time that the permits were in use, of all they could have been. */
export function shareOfPermits(seen: readonly Seen[], permits: number, fromMs: number, toMs: number): number {
  const busyMs = seen.reduce((sum, { atMs, endedMs }) => {
    return sum + Math.max(0, Math.min(endedMs ?? toMs, toMs) - Math.max(atMs, fromMs));
  }, 0);
  return busyMs / (permits * (toMs - fromMs));
}

export function arrivedIn(seen: readonly Seen[], fromMs: number, toMs: number): number {
  return seen.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs).length;
}

/** From the call to its arrival, the shortest first. */
export function waitsOf(seen: readonly Seen[]): readonly number[] {
  return seen.map(({ atMs, cameMs }) => atMs - cameMs).sort((a, b) => a - b);
}

export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
}

export function refusedOf(seen: readonly Seen[]): number {
  return seen.filter(({ limited }) => limited).length;
}

export function commandsPerCall({ commands, seen }: Outcome): number {
  return commands.scripts / seen.length;
}

export function spanOf(seen: readonly Seen[]): readonly [number, number] {
  const moments = seen.map(({ atMs }) => atMs);
  return [Math.min(...moments), Math.max(...moments)];
}
