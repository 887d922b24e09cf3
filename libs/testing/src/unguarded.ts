import { runUnguarded } from '../../core/src/index.js';

/**
 * Runs `fn`, and all that it starts, so that decorated methods inside are the plain methods they were: no application, no
 * admission, no operation. For unit tests of a class made by hand.
 *
 *     const contact = await unguarded(() => new CrmService(fakeHttp).contact('acme', '7'));
 */
export function unguarded<T>(fn: () => T): T {
  return runUnguarded(fn);
}
