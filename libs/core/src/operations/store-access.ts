import { errorName } from '../events/event-hub.js';
import { SluiceError } from '../errors/sluice-error.js';
import type { Clock } from '../time/clock.js';
import { arm } from '../time/timers.js';
import type { OperationStore } from './port.js';

/** How long the store may take for one step, in ms. A disk that is slower is away. */
export const STORE_LIMIT_MS = 5_000;

/** The store, with a time limit on everything that is asked of it. */
export class StoreAccess {
  constructor(
    private readonly store: OperationStore | Promise<OperationStore>,
    readonly clock: Clock,
    private readonly limitMs = STORE_LIMIT_MS,
  ) {}

  /**
   * What the store answers to `ask`. `overdue` gets what has not been answered at the limit: it may happen all the same.
   *
   * @throws SluiceError STORE_UNAVAILABLE where it fails or takes too long.
   */
  ask<T>(
    /** null = all of them. */
    provider: string | null,
    ask: (store: OperationStore) => Promise<T>,
    overdue?: (answering: Promise<T>) => void,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const answering = this.store instanceof Promise ? this.store.then(ask) : attempt(ask, this.store);
      const cancel = arm(this.clock, this.limitMs, () => {
        overdue?.(answering);
        reject(unavailable(provider, `did not answer within ${this.limitMs} ms`));
      });
      answering.then(
        (answer) => {
          cancel();
          resolve(answer);
        },
        (error: unknown) => {
          cancel();
          reject(unavailable(provider, `failed (${errorName(error)})`, error));
        },
      );
    });
  }

  /** As {@link ask}. `heard` gets the answer in time or late: what the store did is done, whoever still waits for it. */
  async hear<T>(
    provider: string | null,
    ask: (store: OperationStore) => Promise<T>,
    heard: (answer: T) => void,
  ): Promise<T> {
    const answer = await this.ask(provider, ask, (answering) => void answering.then(heard, () => undefined));
    heard(answer);
    return answer;
  }
}

async function attempt<T>(ask: (store: OperationStore) => Promise<T>, store: OperationStore): Promise<T> {
  return ask(store);
}

function unavailable(provider: string | null, what: string, cause?: unknown): SluiceError {
  return new SluiceError({
    code: 'STORE_UNAVAILABLE',
    provider,
    message:
      `${provider === null ? 'nestjs-sluice' : `Provider "${provider}"`}: the store of operations ${what}; what cannot be written down is not sent. ` +
      'Try again with the same key.',
    cause,
  });
}
