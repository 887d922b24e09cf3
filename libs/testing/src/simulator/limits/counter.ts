/** The provider's time at one moment, in whole microseconds. */
export interface Instant {
  /** Never steps. */
  readonly monoUs: number;
  /** Since 1970, by the provider's own wall clock. */
  readonly wallUs: number;
}

/** What a charge turned out to be, when the answer leaves. Where it has left the limit by then, nothing happens. */
export type Correction = (now: Instant, actual: number) => void;

/** One limit of one partition. Amounts are whole numbers, so that nothing is ever rounded in or out of a limit. */
export interface Counter {
  /** 0 when `cost` fits now; else how long until it will, if nothing else comes; null when that is not known or never. */
  waitUs(now: Instant, cost: number): number | null;
  charge(now: Instant, cost: number): Correction;
  /** Ends what was charged, where it counts only while it lasts. */
  giveBack?(cost: number): void;
  /** What is left now. */
  remaining(now: Instant): number;
  /** Until the limit is as good as new, or its window over; null where the limit has no such moment. */
  resetUs(now: Instant): number | null;
}

/** The gap between what is wanted and what may be had is never negative. */
export const atLeast0 = (value: number): number => Math.max(0, value);

const US_PER_MS = 1_000;

/** Milliseconds (fractions allowed) to whole microseconds; what lies within a microsecond is one moment. */
export const microsOf = (ms: number): number => Math.floor(ms * US_PER_MS + 1e-6);

export const millisOf = (us: number): number => us / US_PER_MS;
