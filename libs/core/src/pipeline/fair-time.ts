import type { ResolvedContract } from '../contract/resolved.js';

/** Share of `timeouts.attempt` after which an attempt without an answer is the provider's failure. docs/decisions/0004 */
const FAIR_SHARE = 0.5;

/** Whether a provider that gave no answer within `hadMs` is to blame, and not a caller who had no more time for it. */
export function hadFairTime({ timeouts }: ResolvedContract, hadMs: number): boolean {
  return hadMs >= timeouts.attemptMs * FAIR_SHARE;
}
