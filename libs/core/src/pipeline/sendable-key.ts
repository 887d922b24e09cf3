import type { ResolvedContract } from '../contract/resolved.js';
import { configErrorOf } from '../errors/config-error.js';
import type { Safety } from '../model/outcome.js';

/** What Axios leaves of a header: it drops other characters, and spaces at both ends, so that two keys would be one, or none. */
const SENT_AS_IT_IS = /^[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?$/;

/**
 * A write that is taken for keyed is repeated. Its key is not shown: it may be personal.
 *
 * @throws SluiceError CONFIG where a request brings a key of its own that the provider would not get as it is.
 */
export function refuseUnsendableKey(
  { name, idempotency }: ResolvedContract,
  { key, safety }: { readonly key: string | null; readonly safety: Safety },
): void {
  if (idempotency === null || key === null || safety !== 'keyed') return;
  const isText = typeof key === 'string' && key !== '';
  if (isText && (idempotency.header === null || SENT_AS_IT_IS.test(key))) return;
  const found = isText ? 'a text that no header holds as it is' : key === '' ? 'empty' : `of type ${typeof key}`;
  const expected =
    'a text that is not empty, in a header one of ASCII or Latin-1 without line breaks or spaces at its ends; nothing was sent';
  throw configErrorOf(name, [{ option: 'the idempotency key of the request', found, expected }]);
}
