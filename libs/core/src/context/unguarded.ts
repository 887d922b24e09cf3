import { AsyncLocalStorage } from 'node:async_hooks';

const HOLDER: unique symbol = Symbol.for('nestjs-sluice/unguarded@1') as never;
type Holder = { [HOLDER]?: AsyncLocalStorage<true> };

/** One for all copies of the package in the process: the testing kit and the decorators may come from different builds. */
function scope(): AsyncLocalStorage<true> {
  return ((globalThis as Holder)[HOLDER] ??= new AsyncLocalStorage<true>());
}

/** Runs `fn` so that decorated methods inside run bare: no admission, no deadline, no operation. For unit tests. */
export function runUnguarded<T>(fn: () => T): T {
  return scope().run(true, fn);
}

/** Whether the running code was started by {@link runUnguarded}. */
export function isUnguarded(): boolean {
  return scope().getStore() === true;
}
