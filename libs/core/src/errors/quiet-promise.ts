/**
 * Whether a function of the user's gave a promise where only an answer at once helps. Nobody waits for it, and one that fails
 * must not end the process.
 */
export function quietPromise(given: unknown): given is Promise<unknown> {
  if (!(given instanceof Promise)) return false;
  given.catch(() => undefined);
  return true;
}
