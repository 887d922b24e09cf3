import { AsyncLocalStorage } from 'node:async_hooks';
import type { CurrentCall } from '../pipeline/call.js';
import type { SluiceContext } from './contexts.js';

interface Frame extends SluiceContext {
  /** The guarded method or the attempt that runs here. */
  readonly current: CurrentCall | null;
  /** Name of the provider whose credentials are being fetched here: its calls inside need none. */
  readonly authenticating: string | null;
}

const HOLDER: unique symbol = Symbol.for('nestjs-sluice/context@1') as never;
type Holder = { [HOLDER]?: AsyncLocalStorage<Frame> };

/** One for all copies of the package in the process: a method of one build may call through a client of the other. */
const storage = ((globalThis as Holder)[HOLDER] ??= new AsyncLocalStorage<Frame>());
const outside: Frame = { inbound: null, method: null, current: null, authenticating: null };

function frame(): Frame {
  return storage.getStore() ?? outside;
}

/** Runs `fn`, and all that it starts, under `context`. */
export function runInContext<T>(context: SluiceContext, fn: () => T): T {
  return storage.run({ ...frame(), inbound: context.inbound, method: context.method }, fn);
}

/** The context of the running code; empty outside of everything. */
export function currentContext(): SluiceContext {
  return frame();
}

/** The guarded method or attempt that the running code belongs to. */
export function currentCall(): CurrentCall | undefined {
  return frame().current ?? undefined;
}

/** @internal Runs `fn` as (part of) `current`. */
export function runAsCurrent<T>(context: SluiceContext, current: CurrentCall, fn: () => T): T {
  return storage.run(
    { inbound: context.inbound, method: context.method, current, authenticating: frame().authenticating },
    fn,
  );
}

/** @internal Runs `fn`, which fetches credentials of `provider`, apart from whichever call happened to need them. */
export function runAuthenticating<T>(provider: string, context: SluiceContext, fn: () => T): T {
  return storage.run({ inbound: null, method: context.method, current: null, authenticating: provider }, fn);
}

/** @internal Whether the running code fetches credentials of `provider`. */
export function isAuthenticating(provider: string): boolean {
  return frame().authenticating === provider;
}
