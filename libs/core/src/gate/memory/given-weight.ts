import { quietPromise } from '../../errors/quiet-promise.js';
import { errorNameOf } from '../error-name.js';
import type { GateChange } from '../port.js';

/** What the contract's function gives as a tenant's weight; 1, and a word of it, where that is no number above 0. */
export function givenWeight(
  weight: (tenant: string) => number,
  tenant: string,
  told: { change(change: GateChange): void },
): number {
  try {
    const given: unknown = weight(tenant);
    if (typeof given === 'number' && given > 0 && given < Infinity) return given;
    quietPromise(given);
    told.change({ type: 'hook-failed', hook: 'tenants.weight', error: 'RangeError' });
  } catch (error) {
    told.change({ type: 'hook-failed', hook: 'tenants.weight', error: errorNameOf(error) });
  }
  return 1;
}
