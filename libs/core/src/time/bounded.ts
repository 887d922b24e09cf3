import type { Cancel, Clock } from './clock.js';
import { arm } from './timers.js';
import { OwnAbort, whenAborted } from './when-aborted.js';

/** Thrown where the caller of what is waited for gave up. */
export class GaveUp {
  constructor(readonly reason: unknown) {}
}

/** The first of the signals that is aborted. */
export function abortedOf(signals: readonly AbortSignal[]): AbortSignal | undefined {
  for (const signal of signals) if (signal.aborted) return signal;
  return undefined;
}

/** Calls `fn` once, as soon as one of the signals is aborted, or at once. Nothing is left on any of them after the cancel or the call. */
export function onAbort(signals: readonly AbortSignal[], fn: (reason: unknown) => void): Cancel {
  const aborted = abortedOf(signals);
  if (aborted !== undefined) {
    fn(aborted.reason);
    return () => undefined;
  }
  const [only] = signals;
  if (only !== undefined && signals.length === 1) return whenAborted(only, () => fn(only.reason));
  const stop = (): void => {
    for (const cancel of cancels) cancel();
  };
  const cancels = signals.map((signal) =>
    whenAborted(signal, () => {
      stop();
      fn(signal.reason);
    }),
  );
  return stop;
}

/** One signal for several, or the only one itself; `release` takes what was added off them again. */
export function joinSignals(signals: readonly AbortSignal[]): {
  readonly signal: AbortSignal | undefined;
  readonly release: Cancel;
} {
  if (signals.length <= 1) return { signal: signals[0], release: () => undefined };
  const controller = new OwnAbort();
  return { signal: controller.signal, release: onAbort(signals, (reason) => controller.abort(reason)) };
}

/**
 * Waits for `work`, but not longer than `limitMs` (then `limitError()` is thrown) nor than the caller (then {@link GaveUp}).
 * `work` goes on; whoever needs its late end watches it himself.
 */
export function bounded<T>(
  work: PromiseLike<T>,
  clock: Clock,
  signals: readonly AbortSignal[],
  limitMs: number,
  limitError: () => unknown,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    let unlisten: Cancel = () => undefined;
    const cancelTimer = limitMs === Infinity ? () => undefined : arm(clock, limitMs, () => done(reject, limitError()));
    const done = <V>(settle: (value: V) => void, value: V): void => {
      cancelTimer();
      unlisten();
      settle(value);
    };
    unlisten = onAbort(signals, (reason) => done(reject, new GaveUp(reason)));
    work.then(
      (value) => done(resolve, value),
      (error: unknown) => done(reject, error),
    );
  });
}

/** Rejects with the reason of the caller who gave up, where {@link bounded} throws {@link GaveUp}. */
export async function withReason<T>(waiting: Promise<T>): Promise<T> {
  try {
    return await waiting;
  } catch (error) {
    throw error instanceof GaveUp ? error.reason : error;
  }
}
