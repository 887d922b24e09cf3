/** Steps a second from which on a shared gate is asked at most every {@link SPACING_MS}. */
const FREE_STEPS_A_SECOND = 200;
const SPACING_MS = 5;

/** A gate that lets steps wait for so long is asked again after as much; the pause grows with the third power of the wait. */
const CROWDED_MS = 5;
/** Shorter pauses are none: a timer is not as exact. */
const LEAST_PAUSE_MS = 0.5;
const LONGEST_PAUSE_MS = 1_000;

/**
 * How soon a shared gate may be asked again. One that grants all it is asked for, at once: the less often it is asked, the
 * longer calls wait for nothing, and those that come while it answers share the next step anyway. One that has more steps to
 * take than it can, the later the longer it lets them wait: what is put together in one step is less work than two, and a
 * thousand processes have a thousand steps under way.
 */
export class Pace {
  notBeforeMono = -Infinity;
  private secondFromMono = -Infinity;
  private stepsThisSecond = 0;
  private lastQueuedMs = 0;

  /** @param full more was to be asked than one step takes: the rest follows at once */
  stepped(sentMono: number, full: boolean): void {
    if (sentMono - this.secondFromMono >= 1000) {
      this.secondFromMono = sentMono;
      this.stepsThisSecond = 0;
    }
    this.stepsThisSecond += 1;
    this.notBeforeMono = !full && this.stepsThisSecond > FREE_STEPS_A_SECOND ? sentMono + SPACING_MS : sentMono;
  }

  /**
   * @param grantedAll the step brought all that was asked for: nothing is scarce
   * @param queuedMs how long the gate let it wait; once is a hitch, twice on end is a crowd
   */
  answered(nowMono: number, grantedAll: boolean, queuedMs: number): void {
    if (grantedAll) this.notBeforeMono = -Infinity;
    const crowdMs = Math.min(queuedMs, this.lastQueuedMs);
    this.lastQueuedMs = queuedMs;
    const pauseMs = Math.min(LONGEST_PAUSE_MS, crowdMs * (crowdMs / CROWDED_MS) ** 2);
    if (pauseMs >= LEAST_PAUSE_MS) this.notBeforeMono = Math.max(this.notBeforeMono, nowMono + pauseMs);
  }
}
