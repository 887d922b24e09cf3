/** The runs that the running code is part of, by a caller or a worker: one that waits for itself would wait for ever. */
import { AsyncLocalStorage } from 'node:async_hooks';

interface Frame {
  readonly id: string;
  /** Code that goes on after it, in the background, is no part of it. */
  isOver: boolean;
}

const within = new AsyncLocalStorage<readonly Frame[]>();

/** Runs `work` as part of that operation. */
export async function runWithin<T>(id: string, work: () => Promise<T>): Promise<T> {
  const frame: Frame = { id, isOver: false };
  try {
    return await within.run([...(within.getStore() ?? []), frame], work);
  } finally {
    frame.isOver = true;
  }
}

/** Whether the running code is part of a run of it. */
export function isWithin(id: string): boolean {
  return within.getStore()?.some((frame) => frame.id === id && !frame.isOver) ?? false;
}
