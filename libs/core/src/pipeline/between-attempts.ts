import { SluiceError } from '../errors/sluice-error.js';
import type { Clock } from '../time/clock.js';
import { arm } from '../time/timers.js';
import { GaveUp, onAbort } from '../time/bounded.js';

/** The calls of a provider that wait for their next attempt: neither in line nor on the wire. */
export class Sleepers {
  private readonly waking = new Set<(error: SluiceError) => void>();

  constructor(
    private readonly provider: string,
    private readonly clock: Clock,
  ) {}

  /** Resolves when the wait is over. @throws GaveUp when the caller does not wait for that; SluiceError SHUTDOWN. */
  sleep(waitMs: number, signals: readonly AbortSignal[]): Promise<void> {
    return new Promise((resolve, reject) => {
      let unlisten = (): void => undefined;
      const over = (settle: () => void): void => {
        cancelTimer();
        unlisten();
        this.waking.delete(shutDown);
        settle();
      };
      const shutDown = (error: SluiceError): void => over(() => reject(error));
      const cancelTimer = arm(this.clock, waitMs, () => over(resolve));
      this.waking.add(shutDown);
      unlisten = onAbort(signals, (reason) => over(() => reject(new GaveUp(reason))));
    });
  }

  /** Ends all waits with SHUTDOWN. */
  wakeAll(): void {
    const error = new SluiceError({
      code: 'SHUTDOWN',
      provider: this.provider,
      message: `Provider "${this.provider}": the application is stopping; what waited for another attempt was not sent.`,
    });
    for (const wake of this.waking) wake(error);
  }
}
