import { setTimeout as later } from 'node:timers/promises';

/** Waits, for at most two seconds, until `condition` holds. */
export async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; tries < 400; tries += 1) {
    if (condition()) return;
    await later(5);
  }
  throw new Error(`Never came true: ${condition.toString()}`);
}
