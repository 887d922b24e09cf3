/** How a worker's run of a stored method reaches the method's stub: past all other decorators, and without a second operation. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { OperationContext, StoredOwner } from '../../../core/src/index.js';
import type { MethodSite } from './method-site.js';

export interface StoredRun {
  readonly host: object;
  readonly prototype: object;
  readonly key: string | symbol;
  readonly owner: StoredOwner;
  readonly operation: OperationContext;
  /** Aborted when the run is to end: the operation is in other hands, or the process stops. */
  readonly signal: AbortSignal;
}

const HOLDER: unique symbol = Symbol.for('nestjs-sluice/stored-run@1') as never;
type Holder = { [HOLDER]?: AsyncLocalStorage<StoredRun | null> };

/** One for all copies of the package in the process: the application of one build may hold methods of the other. */
const storage = ((globalThis as Holder)[HOLDER] ??= new AsyncLocalStorage<StoredRun | null>());

export function runStored<T>(run: StoredRun, fn: () => T): T {
  return storage.run(run, fn);
}

/** The run that an invocation of this method is, if it is one. */
export function storedRunOf(site: MethodSite, host: unknown): StoredRun | null {
  const run = storage.getStore() ?? null;
  return run !== null && run.host === host && run.prototype === site.prototype && run.key === site.key ? run : null;
}

/** Runs the method's own code: what it calls, itself included, are invocations of their own. */
export function beyondStoredRun<T>(fn: () => T): T {
  return storage.run(null, fn);
}
