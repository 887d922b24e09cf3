/** Steps a second from which on a shared gate is asked at most every {@link SPACING_MS}. */
const FREE_STEPS_A_SECOND = 200;
const SPACING_MS = 5;

/**
 * How soon a shared gate may be asked again. One that grants all it is asked for, at once: the less often it is asked, the
 * longer calls wait for nothing, and those that come while it answers share the next step anyway.
 */
export class Pace {
  notBeforeMono = -Infinity;
  private secondFromMono = -Infinity;
  private stepsThisSecond = 0;

  /** @param full more was to be asked than one step takes: the rest follows at once */
  stepped(sentMono: number, full: boolean): void {
    if (sentMono - this.secondFromMono >= 1000) {
      this.secondFromMono = sentMono;
      this.stepsThisSecond = 0;
    }
    this.stepsThisSecond += 1;
    this.notBeforeMono = !full && this.stepsThisSecond > FREE_STEPS_A_SECOND ? sentMono + SPACING_MS : sentMono;
  }

  /** The last step brought all that was asked for: nothing is scarce. */
  grantedAll(): void {
    this.notBeforeMono = -Infinity;
  }
}
