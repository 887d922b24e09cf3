/** Facts of a contract that its surroundings must fit: sockets, stores, the guard. */
import ms from 'ms';
import { rateKept } from './guard-loss.js';
import type { ProviderContract, ResolvedContract } from './resolved.js';

/** Share of its rate that a limit may lose to the guard without a word. */
const SILENT_LOSS = 0.1;

/**
 * The most attempts that may be under way at once: the least of the limits that hold for all requests of the provider, else
 * the largest of the others (each partition may have as many). Null = no concurrency limit. An agent with fewer sockets
 * would be a second queue behind the gate's back.
 */
export function largestConcurrency(contract: ResolvedContract): number | null {
  const limits = contract.limits.filter((limit) => limit.kind === 'concurrency');
  if (limits.length === 0) return null;
  const forAll = limits.filter((limit) => limit.countedBy.length === 0 && limit.routes === null);
  return forAll.length > 0
    ? Math.min(...forAll.map(({ limit }) => limit))
    : Math.max(...limits.map(({ limit }) => limit));
}

/**
 * Names of the quotas whose used amount a restart would forget: without a store that keeps it they are refused at the start,
 * unless they say `volatile: true`.
 */
export function volatileQuotaMissing({ resolved }: ProviderContract): readonly string[] {
  return resolved.limits.filter((limit) => limit.kind === 'quota' && !limit.volatile).map(({ name }) => name);
}

/** What its user should hear of at start: limits that lose over a tenth of their rate to the guard. */
export function warnings({ resolved }: ProviderContract): readonly string[] {
  return resolved.limits.flatMap((limit) => {
    const loss = 1 - rateKept(resolved, limit);
    return loss > SILENT_LOSS ? [guardWarning(resolved, limit.name, loss)] : [];
  });
}

function guardWarning({ name, guardMs }: ResolvedContract, limit: string, loss: number): string {
  return (
    `Provider "${name}": limit "${limit}" loses ${Math.round(loss * 100)} % of its rate to the guard of ${ms(guardMs)}, ` +
    'the time that requests may take to arrive. Lower `guard` if they arrive within less, or state a longer `per` or a ' +
    'larger `burst` if the provider allows one.'
  );
}
