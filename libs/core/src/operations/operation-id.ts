import { operationOf } from '../idempotency/keys.js';

/** The id of the operation of a key: the same in every process and after every restart, and nothing can be read from it. */
export function operationId(provider: string, name: string, key: string): string {
  return operationOf(JSON.stringify([provider, name]), key).id;
}
