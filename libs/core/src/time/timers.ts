import { type Cancel, type Clock, MAX_TIMER_MS } from './clock.js';
import { whenAborted } from './when-aborted.js';

/**
 * Runs `fn` once after `delayMs`, however long that is, and never before: waits beyond {@link MAX_TIMER_MS} are chained, and
 * what fires early is armed again (Node counts a timer from the start of the turn that armed it). A negative delay is 0.
 *
 * @throws RangeError when `delayMs` is NaN.
 */
export function arm(clock: Clock, delayMs: number, fn: () => void): Cancel {
  if (Number.isNaN(delayMs)) throw new RangeError('A timer cannot be armed with NaN milliseconds.');
  const dueMono = clock.monoMs() + Math.max(0, delayMs);
  let cancel: Cancel = () => undefined;
  const next = (): void => {
    const left = dueMono - clock.monoMs();
    if (left <= 0) return fn();
    cancel = clock.schedule(Math.min(left, MAX_TIMER_MS), next);
  };
  cancel = clock.schedule(Math.min(Math.max(0, delayMs), MAX_TIMER_MS), next);
  return () => cancel();
}

/** Resolves after `delayMs`, or rejects with the signal's reason as soon as it is aborted. Leaves neither timer nor listener behind. */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.reject(signal.reason);
  return new Promise<void>((resolve, reject) => {
    let unlisten: Cancel = () => undefined;
    const cancel = arm(clock, delayMs, () => {
      unlisten();
      resolve();
    });
    if (signal === undefined) return;
    unlisten = whenAborted(signal, () => {
      cancel();
      reject(signal.reason);
    });
  });
}
