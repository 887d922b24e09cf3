/** What an operation of a method is told apart by: the same for a caller's invocation and for work that is put to the queue. */
import { fingerprintOf, quietPromise } from '../../../core/src/index.js';
import { orderingFailed } from '../operations.messages.js';
import { keyFailed, tellsNothingApart } from '../rate-limit.messages.js';
import type { Described } from './invocation.js';

/** From the method's `key`; null where each invocation is an operation of its own. @throws SluiceError CONFIG */
export function declaredKey(described: Described): string | null {
  const { idempotent } = described;
  return idempotent?.key === undefined ? null : textOf(described, 'key', asked(described, 'key', idempotent.key));
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
  const reference = idempotent?.reference;
  return reference === undefined ? null : textOf(described, 'reference', asked(described, 'reference', reference));
}

/** @throws SluiceError CONFIG */
export function declaredOrder(described: Described): string | null {
  const { args, durable, runtime, site } = described;
  if (durable?.orderingKey === undefined) return null;
  let given: string | number | null | undefined;
  try {
    given = durable.orderingKey(...args);
  } catch (error) {
    throw orderingFailed(site.label, runtime.contract.name, error);
  }
  return given === undefined || given === null || given === '' ? null : textOf(described, 'orderingKey', given);
}

/** As given to `Operations.defer`. @throws SluiceError CONFIG */
export function givenText(described: Described, option: IdentityOption, given: unknown): string {
  return textOf(described, option, given, ' of defer()');
}

type IdentityOption = 'key' | 'reference' | 'orderingKey';

/** All objects are one as text, and so are all promises. @throws SluiceError CONFIG */
function textOf({ runtime, site }: Described, option: IdentityOption, given: unknown, where = ''): string {
  if (typeof given === 'string' && given !== '') return given;
  if (typeof given === 'bigint' || (typeof given === 'number' && Number.isFinite(given))) return String(given);
  quietPromise(given);
  throw tellsNothingApart(site.label, runtime.contract.name, `\`${option}\`${where}`, given);
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
