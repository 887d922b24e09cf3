import type { DurableStore, OperationStore } from 'nestjs-sluice';
import { interceptStore } from './intercept-store.js';

/** What becomes of a process's way to its store. */
export interface Fate {
  /** From now on nothing is asked, and nothing is heard. */
  isDead?: boolean;
  /** The same, for a while. */
  isStoreLost?: boolean;
  /** It dies when it asks this, before or after it has happened. */
  readonly diesAt?: { readonly command: keyof OperationStore; readonly when: 'before' | 'after' };
}

const never = (): Promise<never> => new Promise(() => undefined);

/** The store of a process that may die. It is closed all the same. */
export function mortalStore(durable: DurableStore, fate: Fate): DurableStore {
  const isGone = (): boolean => fate.isDead === true || fate.isStoreLost === true;
  const dies = (name: string, when: string): void => {
    if (fate.diesAt?.command === name && fate.diesAt.when === when) fate.isDead = true;
  };
  return interceptStore(durable, async (name, ask) => {
    if (name === 'close') return ask();
    dies(name, 'before');
    if (isGone()) return never();
    const answer = await ask();
    dies(name, 'after');
    return isGone() ? never() : answer;
  });
}
