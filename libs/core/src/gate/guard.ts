/** What the gate itself grants, so that a provider who counts arrivals up to J later never refuses. Rates are per microsecond. */
export interface GuardedBucket {
  readonly capacity: number;
  readonly rate: number;
  /** One call at a time: the next starts once the last is refilled and J has passed. */
  readonly serial: boolean;
}

/**
 * If grants cost at most B' + r't in every interval t and arrive up to J late, arrivals cost at most B' + r'(t + J). With
 * B' = B - rJ that is what the provider allows. Where B - rJ does not hold the dearest call, the burst gives way first,
 * then the rate.
 *
 * @param dearest most that one call has to find free: its cost and what is reserved for other lanes
 * @param equal every call costs the same
 */
export function guardBucket(
  burst: number,
  rate: number,
  guardUs: number,
  dearest: number,
  equal: boolean,
): GuardedBucket {
  const roomy = burst - rate * guardUs;
  if (roomy >= dearest && roomy > 0) return { capacity: roomy, rate, serial: false };
  if (equal) {
    // k + 1 grants span k / r', so k + 1 arrivals span at least k / r' - J.
    const paced = (rate * burst) / (dearest + rate * guardUs);
    return { capacity: dearest, rate: Math.min(rate, paced), serial: false };
  }
  if (burst > dearest) {
    return { capacity: dearest, rate: Math.min(rate, (burst - dearest) / guardUs), serial: false };
  }
  return { capacity: dearest, rate, serial: true };
}

/** What must be held back when a bucket in use changes to other numbers: an interval may lie across the change. */
export function guardDebt(burst: number, rate: number, guardUs: number, capacity: number): number {
  return Math.max(0, capacity + rate * guardUs - burst);
}
