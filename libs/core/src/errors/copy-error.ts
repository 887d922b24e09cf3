import { types } from 'node:util';

/** A shallow copy of an error that is still of its class; what is no plain error is given as it is. */
export function copyError(error: unknown): unknown {
  if (!types.isNativeError(error) || error instanceof DOMException) return error;
  const copy = new Error(error.message);
  Object.setPrototypeOf(copy, Object.getPrototypeOf(error));
  return Object.defineProperties(copy, Object.getOwnPropertyDescriptors(error));
}
