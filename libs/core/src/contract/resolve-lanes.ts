import { msOf } from './resolve-limits.js';
import type { LaneOptions, ProviderOptions } from './options.js';
import type { ResolvedContract, ResolvedLane, ResolvedLimit } from './resolved.js';

/** The lane of contracts that name none. */
const ONE_LANE: Readonly<Record<string, LaneOptions>> = { default: {} };

/** The lanes as given, most urgent first. */
export function lanesOf(options: ProviderOptions): readonly (readonly [string, LaneOptions])[] {
  return Object.entries(options.lanes ?? ONE_LANE);
}

/** Whether a limit belongs to the whole provider: counted by nothing, for every request. Reserves and guarantees are of these. */
export function isProviderWide(limit: ResolvedLimit): boolean {
  return limit.countedBy.length === 0 && limit.routes === null;
}

/** Whether a lane can have tokens or permits of a limit for itself. */
export function isReservable(limit: ResolvedLimit): boolean {
  return isProviderWide(limit) && (limit.kind === 'token-bucket' || limit.kind === 'concurrency');
}

export function resolveLanes(
  options: ProviderOptions,
  limits: readonly ResolvedLimit[],
  queue: ResolvedContract['queue'],
): readonly ResolvedLane[] {
  return lanesOf(options).map(([name, lane], index) => ({
    name,
    index,
    reserve: reserveOf(lane, limits),
    guarantee: lane.guarantee ?? 0,
    ceiling: lane.ceiling === undefined ? null : { limit: lane.ceiling.limit, perMs: msOf(lane.ceiling.per) },
    maxQueued: lane.maxQueued ?? queue.maxSize,
    maxWaitMs: lane.maxWait === undefined ? queue.maxWaitMs : msOf(lane.maxWait),
    mode: lane.mode ?? options.mode ?? 'enforce',
  }));
}

function reserveOf(lane: LaneOptions, limits: readonly ResolvedLimit[]): Readonly<Record<string, number>> {
  const { reserve } = lane;
  if (reserve === undefined || reserve === 0) return {};
  if (typeof reserve !== 'number') return reserve;
  return Object.fromEntries(limits.filter(isReservable).map((limit) => [limit.name, reserve]));
}

/** Index of the lane of undecorated calls: the one that says `default: true`, else the last. */
export function defaultLaneIndex(options: ProviderOptions): number {
  const lanes = lanesOf(options);
  const index = lanes.findIndex(([, lane]) => lane.default === true);
  return index === -1 ? lanes.length - 1 : index;
}
