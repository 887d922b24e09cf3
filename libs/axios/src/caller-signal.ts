import type { InternalAxiosRequestConfig } from 'axios';
import { type Cancel, OwnAbort, whenAborted } from '../../core/src/index.js';

/** Axios' deprecated way to cancel, which `HttpService` still uses for every call. */
interface TokenLike {
  readonly reason?: unknown;
  subscribe(listener: (reason: unknown) => void): void;
  unsubscribe(listener: (reason: unknown) => void): void;
}

/** Whatever may end a call from outside, as one signal. */
export interface CallerSignal {
  readonly signal: AbortSignal | undefined;
  /** Takes our listeners off the caller's objects. */
  readonly release: Cancel;
}

/** Nobody can end it from outside. */
export const NOBODY: CallerSignal = { signal: undefined, release: () => undefined };

export function callerSignal(config: InternalAxiosRequestConfig): CallerSignal {
  const token = config.cancelToken as unknown as TokenLike | undefined;
  const given = config.signal as AbortSignal | undefined;
  if (!token && !given) return NOBODY;
  if (!token && given instanceof AbortSignal) return { signal: given, release: NOBODY.release };
  const controller = new OwnAbort();
  const onToken = (reason: unknown): void => controller.abort(reason);
  const onSignal = (): void => controller.abort(given?.reason);
  token?.subscribe(onToken);
  if (given?.aborted) onSignal();
  const unlisten = given === undefined || given.aborted ? NOBODY.release : listen(given, onSignal);
  return {
    signal: controller.signal,
    release: () => {
      token?.unsubscribe(onToken);
      unlisten();
    },
  };
}

/** What only looks like a signal has its listeners itself. */
function listen(signal: AbortSignal, fn: () => void): Cancel {
  if (signal instanceof AbortSignal) return whenAborted(signal, fn);
  (signal as Partial<AbortSignal>).addEventListener?.('abort', fn);
  return () => (signal as Partial<AbortSignal>).removeEventListener?.('abort', fn);
}
