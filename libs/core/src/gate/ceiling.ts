const US_PER_MS = 1_000;

/**
 * A ceiling saves up what its rate makes in so long. Where processes share a gate, the looks of those who wait lie a little
 * apart; a ceiling that held one call only would lose what it refills in between, and be reached by nobody.
 */
const SAVED_UP_US = 200_000;

/** The bucket of a lane's ceiling: burst in calls, rate per microsecond. It is our own wish: no guard. */
export function ceilingBucket({ limit, perMs }: { readonly limit: number; readonly perMs: number }): {
  readonly burst: number;
  readonly rate: number;
} {
  const rate = limit / (perMs * US_PER_MS);
  return { burst: Math.max(1, rate * SAVED_UP_US), rate };
}
