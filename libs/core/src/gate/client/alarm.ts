/** The one timer of a line: it rings at the first moment at which something is due. */
import type { Cancel, Clock } from '../../time/clock.js';
import { arm } from '../../time/timers.js';
import { FLUSH_MS } from './outbox.js';

export class Alarm {
  /** The moment it is set for; Infinity = it is not set. */
  forMono = Infinity;
  private cancel: Cancel | null = null;
  private readonly onTimer = (): void => this.fired();

  constructor(
    private readonly clock: Clock,
    private readonly ring: () => void,
  ) {}

  get isSet(): boolean {
    return this.cancel !== null;
  }

  /** `dueMono`: Infinity = nothing is due. One that rings in vain within the time of a flush is cheaper than cancelling at every call. */
  set(dueMono: number): void {
    if (this.cancel !== null) {
      if (this.forMono <= dueMono) {
        if (dueMono < Infinity || this.forMono - this.clock.monoMs() <= FLUSH_MS) return;
      }
      this.stop();
    }
    if (dueMono === Infinity) return;
    this.forMono = dueMono;
    this.cancel = arm(this.clock, dueMono - this.clock.monoMs(), this.onTimer);
  }

  stop(): void {
    this.cancel?.();
    this.cancel = null;
    this.forMono = Infinity;
  }

  private fired(): void {
    this.cancel = null;
    this.forMono = Infinity;
    this.ring();
  }
}
