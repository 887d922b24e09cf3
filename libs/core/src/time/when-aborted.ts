import type { Cancel } from './clock.js';

interface Watch {
  readonly callbacks: Set<() => void>;
  readonly listener: () => void;
}

const watches = new WeakMap<AbortSignal, Watch>();

/**
 * Calls `fn` once when the signal is aborted; the cancel may be called again. However many calls live under one signal, it
 * has one listener of ours: past ten Node warns of a leak, and each makes all others dearer to take off.
 */
export function whenAborted(signal: AbortSignal, fn: () => void): Cancel {
  if (signal instanceof OwnSignal) return signal.whenAborted(fn);
  const { callbacks } = watches.get(signal) ?? begin(signal);
  const callback = (): void => fn();
  callbacks.add(callback);
  return () => {
    if (callbacks.delete(callback) && callbacks.size === 0) end(signal);
  };
}

function begin(signal: AbortSignal): Watch {
  const callbacks = new Set<() => void>();
  const listener = (): void => {
    end(signal);
    callAll(callbacks);
  };
  const watch = { callbacks, listener };
  watches.set(signal, watch);
  signal.addEventListener('abort', listener, { once: true });
  return watch;
}

function end(signal: AbortSignal): void {
  const watch = watches.get(signal);
  if (watch === undefined) return;
  watches.delete(signal);
  signal.removeEventListener('abort', watch.listener);
}

function callAll(callbacks: Set<() => void>): void {
  for (const callback of callbacks) {
    callbacks.delete(callback);
    callback();
  }
}

/** A signal inside the module: Node's own is made for those only who listen to it as to any other. */
class OwnSignal {
  aborted = false;
  reason: unknown = undefined;
  /** Most have one at a time, and pay for no set. */
  private sole: (() => void) | null = null;
  private callbacks: Set<() => void> | null = null;
  private real: AbortController | null = null;

  whenAborted(fn: () => void): Cancel {
    const callback = (): void => fn();
    if (this.sole === null && this.callbacks === null) this.sole = callback;
    else (this.callbacks ??= new Set()).add(callback);
    return () => {
      if (this.sole === callback) this.sole = null;
      else this.callbacks?.delete(callback);
    };
  }

  addEventListener(...listening: Parameters<AbortSignal['addEventListener']>): void {
    this.real ??= new AbortController();
    this.real.signal.addEventListener(...listening);
  }

  removeEventListener(...listening: Parameters<AbortSignal['removeEventListener']>): void {
    this.real?.signal.removeEventListener(...listening);
  }

  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason === undefined ? new DOMException('This operation was aborted', 'AbortError') : reason;
    this.real?.abort(this.reason);
    const { sole } = this;
    this.sole = null;
    sole?.();
    if (this.callbacks !== null) callAll(this.callbacks);
  }
}

/**
 * Aborts a signal that never leaves the module. Many calls make one, few of them ever abort it, and one of Node's would cost
 * each of them more than all the rest of its waiting.
 */
export class OwnAbort {
  private readonly own = new OwnSignal();

  /** What is asked of signals within the module it answers: `aborted`, `reason` and listeners. */
  get signal(): AbortSignal {
    return this.own as unknown as AbortSignal;
  }

  abort(reason: unknown): void {
    this.own.abort(reason);
  }
}
