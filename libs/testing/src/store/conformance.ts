import { boundChecks } from './bound-checks.js';
import { callerChecks } from './caller-checks.js';
import { claimChecks } from './claim-checks.js';
import { fenceChecks } from './fence-checks.js';
import { historyChecks } from './history-checks.js';
import { identityChecks } from './identity-checks.js';
import { type Check, type MakeStore, withWorld } from './world.js';
import { orderChecks } from './order-checks.js';
import { requestChecks } from './request-checks.js';
import { uncertainChecks } from './uncertain-checks.js';

export interface ConformanceCheck {
  /** One sentence of behaviour. */
  readonly name: string;
  /** Resolves where the store behaves so; rejects with an `AssertionError` that says what it did instead. */
  run(): Promise<void>;
}

const CHECKS: readonly Check[] = [
  ...identityChecks,
  ...boundChecks,
  ...callerChecks,
  ...claimChecks,
  ...fenceChecks,
  ...requestChecks,
  ...uncertainChecks,
  ...orderChecks,
  ...historyChecks,
];

/**
 * What every durable store must do, as checks for any test runner:
 *
 * ```ts
 * for (const { name, run } of storeConformance(makeStore)) it(name, run);
 * ```
 *
 * Each check makes a store of its own and destroys it.
 */
export function storeConformance(makeStore: MakeStore): readonly ConformanceCheck[] {
  return CHECKS.map(({ name, run }) => ({ name, run: () => withWorld(makeStore, run) }));
}
