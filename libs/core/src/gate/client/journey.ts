import type { StepReply } from '../port.js';

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

  of(sentMono: number, { nowUs, changes }: Pick<StepReply, 'nowUs' | 'changes'>, readMono: number): Journey {
    // While the store is away its deputy answers, by a clock of its own: what is known of the one says nothing of the other.
    const another = changes.some(({ type }) => type === 'store-away' || type === 'store-back');
    if (another) this.forget();
    const journey = this.reckon(sentMono, nowUs / 1000, readMono);
    if (another) this.forget();
    return journey;
  }

  private forget(): void {
    this.leadMs = -Infinity;
  }

  private reckon(sentMono: number, gateMs: number, readMono: number): Journey {
    const own = sentMono - gateMs;
    const drift = ((readMono - this.atMono) / 1000) * DRIFT_MS_A_SECOND;
    this.leadMs = Math.max(own, this.leadMs - drift);
    this.atMono = readMono;
    // Read before it was decided: the gate's clock was set forward.
    if (this.leadMs > readMono - gateMs) this.leadMs = own;
    return { ageMs: readMono - gateMs - this.leadMs, queuedMs: this.leadMs - own };
  }
}
