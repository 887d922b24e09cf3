/** Ends what it was returned for. Calling it again does nothing. */
export type Cancel = () => void;

/**
 * All the time the module knows. Two clocks are kept apart: `wallMs` may step at any moment and only reads and writes
 * dates; every interval is measured on `monoMs`, which never steps.
 */
export interface Clock {
  /** Wall time in milliseconds since 1970-01-01T00:00:00Z. */
  wallMs(): number;
  /** Monotonic time in milliseconds (fractions allowed) from an arbitrary start. */
  monoMs(): number;
  /**
   * Runs `fn` once, `delayMs` from now, outside any caller's async context. The timer never keeps the process alive.
   *
   * @throws RangeError when `delayMs` is not a number from 0 to {@link MAX_TIMER_MS}; use `arm` of `timers.ts` for longer waits.
   */
  schedule(delayMs: number, fn: () => void): Cancel;
}

/** The longest delay a Node timer keeps: 2^31-1 ms, some 24.8 days. A longer one fires after 1 ms. */
export const MAX_TIMER_MS = 2_147_483_647;
