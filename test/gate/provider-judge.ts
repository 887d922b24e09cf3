/**
 * What a provider would say of a history: its limits counted over arrivals, in whole numbers, by brute force. It knows
 * nothing of the gate.
 */
import type { ResolvedContract, ResolvedLimit } from '../../libs/core/src/contract/resolved.js';

export interface Arrival {
  /** Microseconds since 1970 at the provider. */
  readonly at: number;
  /** When the provider has done with it. */
  readonly until: number;
  readonly partition: Readonly<Record<string, string>>;
  /** Index of limits it counts against. */
  readonly limits: readonly number[];
  /** True cost by position in `limits`: whole numbers. */
  costs: readonly number[];
  /** What a provider that knows no better takes as it comes; it gives the difference back when it has done with it. Default: the true cost. */
  announced?: readonly number[];
}

interface Charge {
  readonly at: number;
  readonly until: number;
  readonly cost: number;
  readonly announced: number;
}

/** Doubles in the gate may err by a millionth of a unit. */
const SLACK = 1_000_000n;

/** The first limit that is exceeded, in words; null = none is. */
export function findExcess(contract: ResolvedContract, arrivals: readonly Arrival[]): string | null {
  for (const [index, limit] of contract.limits.entries()) {
    const groups = new Map<string, Charge[]>();
    for (const arrival of arrivals) {
      const position = arrival.limits.indexOf(index);
      if (position < 0) continue;
      const key = limit.countedBy.map((dimension) => arrival.partition[dimension]).join('|');
      const group = groups.get(key) ?? [];
      groups.set(key, group);
      const cost = arrival.costs[position] as number;
      const announced = Math.max(cost, arrival.announced?.[position] ?? cost);
      group.push({ at: arrival.at, until: arrival.until, cost, announced });
    }
    for (const [key, charges] of groups) {
      charges.sort((a, b) => a.at - b.at);
      const found = excess(limit, charges);
      if (found !== null) return `${limit.name}${key === '' ? '' : ` of ${key}`}: ${found}`;
    }
  }
  return null;
}

function excess(limit: ResolvedLimit, charges: readonly Charge[]): string | null {
  switch (limit.kind) {
    case 'token-bucket':
      return (
        bucketExcess(limit.burst, limit.limit, limit.perMs * 1000, charges) ??
        announcedBucketExcess(limit.burst, limit.limit, limit.perMs * 1000, charges)
      );
    case 'sliding-window':
      return (
        windowExcess(limit.limit, limit.perMs * 1000, charges) ??
        announcedWindowExcess(limit.limit, limit.perMs * 1000, charges)
      );
    case 'fixed-window':
      // Edges nobody told of may be anywhere.
      return limit.align === 'clock'
        ? periodExcess(limit.limit, charges, (at) => String(Math.floor(at / (limit.perMs * 1000))))
        : windowExcess(limit.limit, limit.perMs * 1000, charges);
    case 'quota':
      return periodExcess(limit.limit, charges, (at) => {
        const day = new Date(at / 1000).toLocaleDateString('en-CA', { timeZone: limit.timeZone });
        return limit.per === 'day' ? day : day.slice(0, 7);
      });
    case 'concurrency':
      return overlapExcess(limit.limit, charges);
  }
}

/** Every interval from one arrival to another: cost <= B + r t. Counted in units of 1/per. */
function bucketExcess(burst: number, limit: number, perUs: number, charges: readonly Charge[]): string | null {
  const per = BigInt(perUs);
  const bound = BigInt(burst) * per + per / SLACK;
  let level = 0n;
  let last = 0;
  for (const { at, cost } of charges) {
    const drained = level - BigInt(limit) * BigInt(at - last);
    level = (drained > 0n ? drained : 0n) + BigInt(cost) * per;
    last = at;
    if (level > bound) return `level ${Number(level) / perUs} of ${burst} at ${at}`;
  }
  return null;
}

/** The same of a provider that takes what was announced, and gives back the rest at the end: never below empty. */
function announcedBucketExcess(burst: number, limit: number, perUs: number, charges: readonly Charge[]): string | null {
  const per = BigInt(perUs);
  const bound = BigInt(burst) * per + per / SLACK;
  const moves = charges.flatMap(({ at, until, cost, announced }) => [
    { at, by: announced },
    { at: Math.max(at, until), by: cost - announced },
  ]);
  moves.sort((a, b) => a.at - b.at || a.by - b.by);
  let level = 0n;
  let last = 0;
  for (const { at, by } of moves) {
    level -= BigInt(limit) * BigInt(at - last);
    level = (level > 0n ? level : 0n) + BigInt(by) * per;
    if (level < 0n) level = 0n;
    last = at;
    if (level > bound) return `level ${Number(level) / perUs} of ${burst}, as announced, at ${at}`;
  }
  return null;
}

function announcedWindowExcess(limit: number, windowUs: number, charges: readonly Charge[]): string | null {
  for (const { at: now } of charges) {
    let sum = 0;
    for (const { at, until, cost, announced } of charges) {
      if (at <= now && at > now - windowUs) sum += until > now ? announced : cost;
    }
    if (sum > limit) return `${sum} of ${limit}, as announced, in the window that ends at ${now}`;
  }
  return null;
}

function windowExcess(limit: number, windowUs: number, charges: readonly Charge[]): string | null {
  let sum = 0;
  let first = 0;
  for (const { at, cost } of charges) {
    sum += cost;
    while ((charges[first] as Charge).at <= at - windowUs) {
      sum -= (charges[first] as Charge).cost;
      first += 1;
    }
    if (sum > limit) return `${sum} of ${limit} in the window that ends at ${at}`;
  }
  return null;
}

function periodExcess(limit: number, charges: readonly Charge[], periodOf: (at: number) => string): string | null {
  const sums = new Map<string, number>();
  for (const { at, cost } of charges) {
    const period = periodOf(at);
    const sum = (sums.get(period) ?? 0) + cost;
    sums.set(period, sum);
    if (sum > limit) return `${sum} of ${limit} in period ${period}`;
  }
  return null;
}

function overlapExcess(limit: number, charges: readonly Charge[]): string | null {
  const edges = charges.flatMap(({ at, until }) => [
    { at, by: 1 },
    { at: until, by: -1 },
  ]);
  edges.sort((a, b) => a.at - b.at || a.by - b.by);
  let active = 0;
  for (const { at, by } of edges) {
    active += by;
    if (active > limit) return `${active} of ${limit} at once at ${at}`;
  }
  return null;
}
