import { type Observable as ObservableType, Observable, type Subscription } from 'rxjs';
import type { Invocation, MethodOperation } from './invocation.js';
import { isRemembered, operate } from './operation.js';

/** Subscribes to the method's own Observable; resolves when it completes. The source is left when `signal` is aborted. */
export type Collect = (source: ObservableType<unknown>, signal: AbortSignal) => Promise<Emitted>;

/** What an Observable emitted: all of it where it is remembered, else the last value only. */
export type Emitted = readonly unknown[];

/** The values that came before the error have reached the subscriber: the source must not be subscribed again. */
export class FailedAfterValues {
  constructor(readonly error: unknown) {}
}

/**
 * An Observable each of whose subscriptions is one operation. Values pass through as they come; a subscriber that joins or
 * repeats an operation gets those of the one that ran.
 */
export function observeOnce(
  invocation: Invocation,
  perform: (operation: MethodOperation, signal: AbortSignal, collect: Collect) => Promise<Emitted>,
): ObservableType<unknown> {
  const keepAll = isRemembered(invocation);
  return new Observable((subscriber) => {
    const gaveUp = new AbortController();
    let source: Subscription | undefined;
    let ran = false;
    const collect: Collect = (observable, signal) =>
      new Promise((resolve, reject) => {
        ran = true;
        const values: unknown[] = [];
        const leave = (): void => {
          source?.unsubscribe();
          reject(signal.reason);
        };
        const end = (settle: () => void): void => {
          signal.removeEventListener('abort', leave);
          settle();
        };
        if (signal.aborted) return leave();
        signal.addEventListener('abort', leave, { once: true });
        source = observable.subscribe({
          next: (value) => {
            if (!keepAll) values.length = 0;
            values.push(value);
            subscriber.next(value);
          },
          error: (error: unknown) => end(() => reject(values.length > 0 ? new FailedAfterValues(error) : error)),
          complete: () => end(() => resolve(values)),
        });
        // A subscriber may leave at a value that comes while it subscribes, before there is anything to leave.
        if (signal.aborted) source.unsubscribe();
      });
    const work = (operation: MethodOperation, signal = gaveUp.signal): Promise<Emitted> =>
      perform(operation, signal, collect).catch((error: unknown) => {
        throw error instanceof FailedAfterValues ? error.error : error;
      });
    operate(invocation, work, gaveUp.signal).then(
      (values) => {
        if (!ran) for (const value of values) subscriber.next(value);
        subscriber.complete();
      },
      (error: unknown) => subscriber.error(error),
    );
    return () => {
      source?.unsubscribe();
      gaveUp.abort();
    };
  });
}
