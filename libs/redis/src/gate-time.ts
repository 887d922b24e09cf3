import type { Clock } from '../../core/src/index.js';

/** The gate's time between its replies: as the last one told it, moved on by this process's monotonic clock. */
export class GateTime {
  private readUs: number;
  private readMono: number;

  constructor(private readonly clock: Clock) {
    this.readUs = clock.wallMs() * 1000;
    this.readMono = clock.monoMs();
  }

  get nowUs(): number {
    return Math.round(this.readUs + (this.clock.monoMs() - this.readMono) * 1000);
  }

  read(nowUs: number): void {
    this.readUs = nowUs;
    this.readMono = this.clock.monoMs();
  }
}
