import { getActiveResourcesInfo } from 'node:process';

// Taken once, so that a test's faked timers do not stop the clock.
const realSetImmediate = setImmediate;
const realSetTimeout = setTimeout;

/** A chain of immediates this long is taken for one that never ends. */
const MAX_TURNS = 100_000;
/** What is outside of the clock's sight and not over by then, in real ms, is taken for something that never ends. */
const MAX_HELD_MS = 30_000;

/**
 * Resolves when nothing is left to run without time passing: no microtask, no `process.nextTick`, no `setImmediate`,
 * nor anything these start. When an immediate's callback runs, the two other queues are empty, so it is enough to
 * look whether further immediates wait. Sockets, files and worker threads are outside of what is seen.
 *
 * @throws Error when immediates go on arming immediates without end.
 */
export function untilQuiet(): Promise<void> {
  return new Promise((resolve, reject) => {
    let turns = 0;
    const turn = (): void => {
      turns += 1;
      if (!getActiveResourcesInfo().includes('Immediate')) return resolve();
      if (turns > MAX_TURNS)
        return reject(new Error(`Still not quiet after ${MAX_TURNS} turns: some code arms setImmediate without end.`));
      realSetImmediate(turn);
    };
    realSetImmediate(turn);
  });
}

/** Resolves when one of them is settled. @throws Error when none is for half a minute of real time. */
export async function untilSettled(works: Iterable<Promise<unknown>>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const overdue = new Promise<never>((_, reject) => {
    timer = realSetTimeout(
      () => reject(new Error(`What holds the clock is not over after ${MAX_HELD_MS} ms of real time.`)),
      MAX_HELD_MS,
    );
  });
  const settled = [...works].map((work) => work.then(nothing, nothing));
  try {
    await Promise.race([overdue, ...settled]);
  } finally {
    clearTimeout(timer);
  }
}

const nothing = (): void => undefined;
