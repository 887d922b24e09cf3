/** Law 9 over a history of grants, by brute force. */
import type { ResolvedContract } from '../../libs/core/src/contract/resolved.js';
import type { Granted } from './actors.js';

const MINUTE_US = 60_000_000;

/** The first minute with too many retries, in words; null = there is none. */
export function budgetExcess(contract: ResolvedContract, grants: readonly Granted[]): string | null {
  const { budget } = contract.retry;
  if (budget === null) return null;
  // A first attempt that turns out not to have left was counted when the retry was judged; a retry that did not leave was none.
  const sent = grants.filter(({ kind, observe, left }) => !observe && (kind === 'first' || (kind === 'retry' && left)));
  const most = (all: number): number => Math.max(budget.floor, budget.ratio * all + 1e-9);
  for (const { at, kind } of sent) {
    if (kind !== 'retry') continue;
    const trailing = sent.filter((other) => other.at > at - MINUTE_US && other.at <= at);
    const retries = trailing.filter((other) => other.kind === 'retry').length;
    if (retries > most(trailing.length)) return `${retries} of ${trailing.length} in the minute that ends at ${at}`;
  }
  const minutes = new Map<number, { all: number; retries: number }>();
  for (const { at, kind } of sent) {
    const minute = Math.floor(at / MINUTE_US);
    const counts = minutes.get(minute) ?? { all: 0, retries: 0 };
    minutes.set(minute, counts);
    counts.all += 1;
    if (kind === 'retry') counts.retries += 1;
  }
  for (const [minute, { all, retries }] of minutes) {
    if (retries > most(all)) return `${retries} of ${all} in minute ${minute}`;
  }
  return null;
}
