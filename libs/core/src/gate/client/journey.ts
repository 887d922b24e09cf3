/** So much may the gate's clock run faster than this process's: milliseconds in each second. A kernel that sets its clock right by itself is no faster. */
const DRIFT_MS_A_SECOND = 0.5;

/** Of a step whose reply was read. */
export interface Journey {
  /** At most so long ago the gate decided. */
  readonly ageMs: number;
  /** At least so long the gate let the step wait. */
  readonly queuedMs: number;
}

/**
 * When the gate decided, by this process's clock. Each reply bears the gate's own time, and was decided no earlier than its step
 * was sent: the quickest way to the gate so tells how far the two clocks are apart at least. Of a gate that is slow for everybody
 * the decision is young all the same: what came late is only what was late on its way back.
 */
export class Journeys {
  /** At least so far is this clock before the gate's. */
  private leadMs = -Infinity;
  private atMono = 0;

  /** What is known of the gate's clock holds no longer: another one answers. */
  forget(): void {
    this.leadMs = -Infinity;
  }

  of(sentMono: number, gateUs: number, readMono: number): Journey {
    const gateMs = gateUs / 1000;
    const own = sentMono - gateMs;
    const drift = ((readMono - this.atMono) / 1000) * DRIFT_MS_A_SECOND;
    this.leadMs = Math.max(own, this.leadMs - drift);
    this.atMono = readMono;
    // Read before it was decided: the gate's clock was set forward.
    if (this.leadMs > readMono - gateMs) this.leadMs = own;
    return { ageMs: readMono - gateMs - this.leadMs, queuedMs: this.leadMs - own };
  }
}
