import type { LatencyPlan } from './plan.js';

/** How long the provider works on a request; `chance` from 0 to 1. */
export function latencyOf(plan: LatencyPlan | undefined, chance: number): number {
  if (plan === undefined) return 0;
  if (plan.kind === 'same') return plan.ms;
  const { shape, fromMs, toMs } = plan;
  const tail = 1 - chance * (1 - (fromMs / toMs) ** shape);
  return fromMs / tail ** (1 / shape);
}
