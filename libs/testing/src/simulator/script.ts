import type { SimulatedRequest } from './request.js';
import { type Behaviour, behaviourOf, type ScriptStep } from './answer.js';

/** What the provider does, request after request: `script([answer(429, { 'retry-after': '1' }), reset, 200])`. Afterwards it answers as its routes say. */
export interface Script {
  /** What to do with this request, the next that was admitted; null = what the route says. */
  next(request: SimulatedRequest): Behaviour | null;
}

export function script(steps: readonly ScriptStep[]): Script {
  let taken = 0;
  return {
    next() {
      const step = steps[taken];
      if (step === undefined) return null;
      taken += 1;
      return behaviourOf(step);
    },
  };
}

/** The same step for every request: `forever(503)`. */
export function forever(step: ScriptStep): Script {
  return { next: () => behaviourOf(step) };
}
