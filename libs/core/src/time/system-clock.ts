import { AsyncLocalStorage } from 'node:async_hooks';
import { type Cancel, type Clock, MAX_TIMER_MS } from './clock.js';
import type { Random } from './random.js';

/** Runs a function in the async context in which this module was loaded: no request's context outlives its request in a timer. */
const inRootContext = AsyncLocalStorage.snapshot();

/** The real clock: the one place of the libraries that touches `Date`, `performance` and timers. */
export class SystemClock implements Clock {
  wallMs(): number {
    return Date.now();
  }

  monoMs(): number {
    return performance.now();
  }

  schedule(delayMs: number, fn: () => void): Cancel {
    if (!(delayMs >= 0 && delayMs <= MAX_TIMER_MS)) {
      throw new RangeError(`A timer needs a delay from 0 to ${MAX_TIMER_MS} ms, not ${delayMs}.`);
    }
    const timer = inRootContext(unrefTimer, fn, delayMs);
    return () => clearTimeout(timer);
  }
}

function unrefTimer(fn: () => void, delayMs: number): NodeJS.Timeout {
  return setTimeout(fn, delayMs).unref();
}

/** The real chance. */
export const systemRandom: Random = { next: () => Math.random() };
