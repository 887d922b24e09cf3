/** What an operation of a method is told apart by: the same for a caller's invocation and for work that is put to the queue. */
import { fingerprintOf } from '../../../core/src/index.js';
import { orderingFailed } from '../operations.messages.js';
import { keyFailed } from '../rate-limit.messages.js';
import type { Described } from './invocation.js';

/** From the method's `key`; null where each invocation is an operation of its own. @throws SluiceError CONFIG */
export function declaredKey(described: Described): string | null {
  const { idempotent } = described;
  return idempotent?.key === undefined ? null : String(asked(described, 'key', idempotent.key));
}

/** @throws SluiceError CONFIG */
export function declaredFingerprint(described: Described): string {
  const { args, idempotent, runtime, site } = described;
  const declared = idempotent?.fingerprint ? asked(described, 'fingerprint', idempotent.fingerprint) : args;
  return fingerprintOf(runtime.contract.name, site.label, declared);
}

/** @throws SluiceError CONFIG */
export function declaredReference(described: Described): string | null {
  const { idempotent } = described;
  return idempotent?.reference === undefined ? null : String(asked(described, 'reference', idempotent.reference));
}

/** @throws SluiceError CONFIG */
export function declaredOrder({ args, durable, runtime, site }: Described): string | null {
  if (durable?.orderingKey === undefined) return null;
  let given: string | number | null | undefined;
  try {
    given = durable.orderingKey(...args);
  } catch (error) {
    throw orderingFailed(site.label, runtime.contract.name, error);
  }
  return given === undefined || given === null || given === '' ? null : String(given);
}

/** A default in place of a key would be another operation: one that fails refuses the call. */
function asked<T>(
  { args, runtime, site }: Described,
  option: 'key' | 'fingerprint' | 'reference',
  fn: (...args: any[]) => T,
): T {
  const refuse = (cause: unknown): Error => keyFailed(site.label, runtime.contract.name, option, cause);
  let value: T;
  try {
    value = fn(...args);
  } catch (error) {
    throw refuse(error);
  }
  if (value === undefined || value === null || value === '' || Number.isNaN(value)) throw refuse(undefined);
  return value;
}
