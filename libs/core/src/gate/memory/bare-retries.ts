import type { RetryBudget } from './budget.js';
import type { Waiter } from './model.js';

/** Retries that wait without a place in the budget: what becomes free there is theirs before a newcomer's. */
export class BareRetries {
  count = 0;

  /** Counts those that a ticket shows. */
  note(waiter: Waiter, budget: RetryBudget | null, now: number): void {
    if (budget === null) return;
    const bare = waiter.heads.filter(({ kind, place }) => kind === 'retry' && !budget.holds(now, place)).length;
    this.count += bare - waiter.bare;
    waiter.bare = bare;
  }

  forget(waiter: Waiter): void {
    this.count -= waiter.bare;
    waiter.bare = 0;
  }
}
