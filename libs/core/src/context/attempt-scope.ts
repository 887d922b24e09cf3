import { AsyncLocalStorage } from 'node:async_hooks';

/** An attempt that is a function of the application (an SDK's work, a guarded method), or waits for one, and has not ended. */
interface AttemptScope {
  readonly owner: object;
  live: boolean;
  readonly outer: AttemptScope | undefined;
}

const storage = new AsyncLocalStorage<AttemptScope>();

/**
 * Whether the running code is part of a live attempt of this provider's runtime: a permit of its own would be waited for
 * while one is held.
 */
export function insideAttempt(owner: object): boolean {
  for (let scope = storage.getStore(); scope !== undefined; scope = scope.outer) {
    if (scope.live && scope.owner === owner) return true;
  }
  return false;
}

/** Runs `fn` as an attempt; work it leaves behind is no part of it. */
export async function asAttempt<T>(owner: object, fn: () => T | Promise<T>): Promise<T> {
  const scope: AttemptScope = { owner, live: true, outer: storage.getStore() };
  try {
    return await storage.run(scope, fn);
  } finally {
    scope.live = false;
  }
}

/** Runs `fn` while an attempt waits for what it gives; at once where that is no promise. */
export function withinAttempt<T>(owner: object, fn: () => T): T {
  const scope: AttemptScope = { owner, live: true, outer: storage.getStore() };
  const over = (): void => void (scope.live = false);
  let given: T | null = null;
  try {
    return (given = storage.run(scope, fn));
  } finally {
    if (given instanceof Promise) given.then(over, over);
    else over();
  }
}
