/** Random contracts, small enough that every limit is met often. */
import fc from 'fast-check';
import { defineProvider } from '../../libs/core/src/contract/define-provider.js';
import { concurrency, fixedWindow, quota, slidingWindow, tokenBucket } from '../../libs/core/src/contract/builders.js';
import type { LimitOptions } from '../../libs/core/src/contract/options.js';
import type { ResolvedContract } from '../../libs/core/src/contract/resolved.js';

const countedBy = fc.constantFrom<readonly string[]>([], [], ['user'], ['user'], ['team'], ['user', 'team']);
const routes = fc.option(fc.constantFrom(['search'], ['list', 'search']), { nil: undefined, freq: 4 });
const refusedCalls = fc.constantFrom('count' as const, 'free' as const);

const bucket = fc
  .record({
    burst: fc.integer({ min: 4, max: 12 }),
    limit: fc.integer({ min: 1, max: 40 }),
    countedBy,
    routes,
    refusedCalls,
  })
  .map((o): LimitOptions => tokenBucket({ ...o, per: '1s' }));
const sliding = fc
  .record({
    limit: fc.integer({ min: 4, max: 12 }),
    per: fc.constantFrom('500ms' as const, '2s' as const),
    countedBy,
    refusedCalls,
  })
  .map((o): LimitOptions => slidingWindow(o));
const fixed = fc
  .record({
    limit: fc.integer({ min: 4, max: 12 }),
    per: fc.constantFrom('1s' as const, '5s' as const),
    align: fc.constantFrom('clock' as const, 'unknown' as const),
    countedBy,
  })
  .map((o): LimitOptions => fixedWindow(o));
const permits = fc
  .record({
    limit: fc.integer({ min: 2, max: 5 }),
    worksAfterTimeout: fc.constantFrom('0s' as const, '700ms' as const),
    countedBy,
  })
  .map((o): LimitOptions => concurrency(o));
const calendar = fc
  .record({
    limit: fc.integer({ min: 30, max: 90 }),
    timeZone: fc.constantFrom('UTC', 'America/New_York', 'Asia/Kathmandu'),
    reserve: fc.option(fc.constantFrom<Readonly<Record<string, number>>>({ a: 0.1 }, { a: 0.1, b: 0.2 }), {
      nil: undefined,
    }),
    countedBy,
  })
  .map((o): LimitOptions => quota({ ...o, per: 'day', volatile: true }));
const tokens = fc
  .record({ burst: fc.integer({ min: 10, max: 40 }), limit: fc.integer({ min: 5, max: 60 }), countedBy })
  .map((o): LimitOptions => tokenBucket({ ...o, unit: 'tokens', name: 'tokens', per: '1s' }));

const limit = fc.oneof(bucket, sliding, fixed, permits, calendar);

/** A provider-wide rate, of which a lane can have a share. */
function sharesOut(limit: LimitOptions): boolean {
  const wide = limit.countedBy?.length === 0 && limit.routes === undefined;
  return wide && limit.kind !== 'concurrency' && limit.kind !== 'quota';
}

/** One of each of the provider-wide limits that lanes can have a reserve of. */
function reserved(limits: readonly LimitOptions[]): Readonly<Record<string, number>> {
  const named = limits.map((limit, i) => ({ limit, name: limit.name ?? `l${i}` }));
  const wide = named.filter(({ limit }) => limit.countedBy?.length === 0 && limit.routes === undefined);
  const able = wide.filter(
    ({ limit }) => limit.kind === 'token-bucket' || (limit.kind === 'concurrency' && limit.limit > 3),
  );
  return Object.fromEntries(able.map(({ name }) => [name, 1]));
}

const breakers = fc.constantFrom(
  { consecutiveFailures: 3 },
  { failureRate: { share: 0.4, minVolume: 4, per: '10s' as const } },
);

export const contracts: fc.Arbitrary<ResolvedContract> = fc
  .record({
    limits: fc.array(limit, { minLength: 1, maxLength: 4 }),
    tokens: fc.option(tokens, { nil: null, freq: 3 }),
    guard: fc.constantFrom('0ms' as const, '20ms' as const, '100ms' as const),
    guarantee: fc.constantFrom(0, 0.2),
    ceiling: fc.boolean(),
    maxShare: fc.constantFrom(1, 0.5),
    whileOpen: fc.constantFrom('refuse' as const, 'wait' as const),
    breaker: fc.option(breakers, { nil: null }),
    reserves: fc.constantFrom<readonly ('a' | 'b')[]>([], [], ['a'], ['b'], ['a', 'b']),
    weights: fc.boolean(),
    floor: fc.integer({ min: 0, max: 3 }),
  })
  .map((o) => {
    const limits = [...o.limits, ...(o.tokens === null ? [] : [o.tokens])].map((limit, i) => ({
      ...limit,
      name: limit.name ?? `l${i}`,
    }));
    const reserve = (lane: 'a' | 'b'): object => (o.reserves.includes(lane) ? { reserve: reserved(limits) } : {});
    return defineProvider({
      name: 'random',
      dimensions: ['user', 'team'],
      routes: { search: 'GET /search', list: 'GET /list' },
      limits,
      lanes: {
        a: reserve('a'),
        b: {
          ...reserve('b'),
          ...(o.limits.some(sharesOut) ? { guarantee: o.guarantee } : {}),
          ...(o.ceiling ? { ceiling: { limit: 20, per: '1s' as const } } : {}),
        },
      },
      tenants: { maxShare: o.maxShare, ...(o.weights ? { weight: (tenant) => (tenant === 't1' ? 3 : 1) } : {}) },
      guard: o.guard,
      pause: { initial: '1s', factor: 2, max: '8s' },
      breaker: o.breaker !== null && { ...o.breaker, probeEvery: '2s', whileOpen: o.whileOpen },
      retry: { budget: { floor: o.floor } },
      ...(o.tokens === null ? {} : { units: () => ({ requests: 1, tokens: 1 }) }),
    }).resolved;
  });

/** Other numbers: smaller limits, another structure of tenants, or those of the contract again. */
export function renumbered(contract: ResolvedContract, chance: () => number): ResolvedContract {
  const factor = [1, 0.5, 0.8][Math.floor(chance() * 3)] as number;
  const less = (number: number): number => Math.max(1, Math.floor(number * factor));
  const limits = contract.limits.map((limit) =>
    limit.kind === 'token-bucket'
      ? { ...limit, limit: limit.limit * factor, burst: less(limit.burst) }
      : { ...limit, limit: less(limit.limit) },
  );
  const tenants = chance() < 0.2 ? { ...contract.tenants, maxShare: chance() < 0.5 ? 1 : 0.5 } : contract.tenants;
  return { ...contract, limits, tenants };
}
