/** Who waits for the line to have nothing out and nothing to tell. */
import type { Clock } from '../../time/clock.js';
import { arm } from '../../time/timers.js';

export class Idleness {
  private readonly awaited = new Set<() => void>();

  constructor(
    private readonly clock: Clock,
    private readonly isIdle: () => boolean,
  ) {}

  /** Resolves once it is idle, and after `graceMs` in any case. */
  within(graceMs: number): Promise<void> {
    if (this.isIdle()) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        cancel();
        this.awaited.delete(done);
        resolve();
      };
      const cancel = arm(this.clock, graceMs, done);
      this.awaited.add(done);
    });
  }

  /** Something has ended: it may be idle now. */
  tell(): void {
    if (this.awaited.size > 0 && this.isIdle()) for (const done of this.awaited) done();
  }
}
