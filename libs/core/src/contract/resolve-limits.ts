import { durationMs } from './durations.js';
import type { Duration, LimitOptions, ProviderOptions } from './options.js';
import type { ResolvedLimit } from './resolved.js';

/** Milliseconds of a duration that the shape check has let through. */
export function msOf(value: Duration): number {
  return durationMs(value) ?? Number.NaN;
}

/** Names of the limits, in contract order: as given, else the kind, with the first free number where that is taken. */
export function limitNames(limits: readonly LimitOptions[]): readonly string[] {
  const taken = new Set(limits.map((limit) => limit.name).filter((name) => name !== undefined));
  return limits.map((limit) => {
    if (limit.name !== undefined) return limit.name;
    let name: string = limit.kind;
    for (let number = 2; taken.has(name); number++) name = `${limit.kind}-${number}`;
    taken.add(name);
    return name;
  });
}

export function resolveLimits(options: ProviderOptions, laneNames: readonly string[]): readonly ResolvedLimit[] {
  const names = limitNames(options.limits);
  return options.limits.map((limit, index) => resolveLimit(limit, names[index]!, options, laneNames));
}

function resolveLimit(
  limit: LimitOptions,
  name: string,
  options: ProviderOptions,
  laneNames: readonly string[],
): ResolvedLimit {
  const dimensions = options.dimensions ?? [];
  const share = options.ourShare ?? 1;
  const countedBy = limit.countedBy ?? dimensions;
  const common = {
    name,
    unit: limit.unit ?? 'requests',
    countedBy: dimensions.filter((dimension) => countedBy.includes(dimension)),
    routes: limit.routes === undefined ? null : [...limit.routes].sort(),
    refusedCallsCount: (limit.refusedCalls ?? 'count') === 'count',
  };
  switch (limit.kind) {
    case 'token-bucket':
      return {
        ...common,
        kind: limit.kind,
        burst: scaled(limit.burst, share),
        limit: scaled(limit.limit, share),
        perMs: msOf(limit.per),
      };
    case 'sliding-window':
      return { ...common, kind: limit.kind, limit: scaled(limit.limit, share), perMs: msOf(limit.per) };
    case 'fixed-window':
      return {
        ...common,
        kind: limit.kind,
        limit: scaled(limit.limit, share),
        perMs: msOf(limit.per),
        align: limit.align ?? 'unknown',
      };
    case 'concurrency':
      return {
        ...common,
        kind: limit.kind,
        limit: Math.floor(scaled(limit.limit, share)),
        worksAfterTimeoutMs: msOf(limit.worksAfterTimeout ?? 0),
      };
    case 'quota':
      return {
        ...common,
        kind: limit.kind,
        limit: scaled(limit.limit, share),
        per: limit.per,
        timeZone: limit.timeZone ?? 'UTC',
        reserveByLane: laneNames.map((lane) => limit.reserve?.[lane] ?? 0),
        volatile: limit.volatile ?? false,
      };
  }
}

/** A share of a figure, without the dust of binary fractions (0.29 x 100 is 29). */
function scaled(figure: number, share: number): number {
  return share === 1 ? figure : Math.round(figure * share * 1e9) / 1e9;
}
