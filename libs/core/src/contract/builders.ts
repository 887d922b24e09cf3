import type {
  ConcurrencyOptions,
  FixedWindowOptions,
  LimitOptions,
  QuotaOptions,
  SlidingWindowOptions,
  TokenBucketOptions,
} from './options.js';

/** A burst and a sustained rate: `tokenBucket({ burst: 30, limit: 30, per: '1m' })`. */
export function tokenBucket(options: TokenBucketOptions): LimitOptions {
  return { ...options, kind: 'token-bucket' };
}

/** So many in any window of a length: `slidingWindow({ limit: 100, per: '10s' })`. Take it where the kind of window is unknown. */
export function slidingWindow(options: SlidingWindowOptions): LimitOptions {
  return { ...options, kind: 'sliding-window' };
}

/** So many in each window that begins at a known moment: `fixedWindow({ limit: 500, per: '1m', align: 'clock' })`. */
export function fixedWindow(options: FixedWindowOptions): LimitOptions {
  return { ...options, kind: 'fixed-window' };
}

/** So many requests under way at once: `concurrency({ limit: 8 })`. */
export function concurrency(options: ConcurrencyOptions): LimitOptions {
  return { ...options, kind: 'concurrency' };
}

/** So many a calendar day or month: `quota({ limit: 40_000, per: 'day', timeZone: 'UTC' })`. */
export function quota(options: QuotaOptions): LimitOptions {
  return { ...options, kind: 'quota' };
}
