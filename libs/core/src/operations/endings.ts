import { configError } from '../errors/config-error.js';
import { SluiceError } from '../errors/sluice-error.js';
import { arm } from '../time/timers.js';
import { whenAborted } from '../time/when-aborted.js';
import { lookDelays } from './look-delays.js';
import type { Operation } from './port/operation.js';
import { isFinal } from './states.js';
import type { StoreAccess } from './store-access.js';
import type { OperationMove } from './watch.js';

/** Those of this process who wait for the end of an operation. */
export class Endings {
  private readonly wakers = new Map<string, Set<() => void>>();

  constructor(private readonly access: StoreAccess) {}

  moved({ id, to }: OperationMove): void {
    if (isFinal(to)) this.wakers.get(id)?.forEach((wake) => wake());
  }

  /** @throws SluiceError OPERATION_IN_PROGRESS at the deadline; CONFIG for an unknown id; the signal's reason. */
  async wait(id: string, deadlineMsOf: (provider: string) => number, signal: AbortSignal | null): Promise<Operation> {
    const { clock } = this.access;
    const startMono = clock.monoMs();
    const looks = lookDelays();
    for (;;) {
      signal?.throwIfAborted();
      const operation = await this.access.ask(null, (store) => store.get(id));
      if (operation === null) throw unknownId(id);
      if (isFinal(operation.state)) return operation;
      const leftMs = startMono + deadlineMsOf(operation.provider) - clock.monoMs();
      if (leftMs <= 0) throw notOver(operation);
      await this.woken(id, Math.min(looks.next().value, leftMs), signal);
    }
  }

  /** After `ms`, or as soon as it ends here. Leaves neither timer nor listener behind. */
  private woken(id: string, ms: number, signal: AbortSignal | null): Promise<void> {
    return new Promise((resolve, reject) => {
      const wakers = this.wakers.get(id) ?? new Set();
      this.wakers.set(id, wakers);
      const off = (): void => {
        cancel();
        unlisten?.();
        wakers.delete(wake);
        if (wakers.size === 0) this.wakers.delete(id);
      };
      const wake = (): void => {
        off();
        resolve();
      };
      wakers.add(wake);
      const cancel = arm(this.access.clock, ms, wake);
      const unlisten = signal && whenAborted(signal, () => {
        off();
        reject(signal.reason);
      }); // prettier-ignore
    });
  }
}

export function unknownId(id: string): Error {
  return configError(null, 'the id of an operation', id, 'one that the store has: it may have been forgotten since');
}

function notOver({ id, provider, state, cause }: Operation): Error {
  return new SluiceError({
    code: 'OPERATION_IN_PROGRESS',
    provider,
    operationId: id,
    message:
      `Provider "${provider}": operation ${id} is ${state} (${cause}) and was not over at the deadline of wait(); it goes on. ` +
      'Wait again, or look it up by get().',
  });
}
