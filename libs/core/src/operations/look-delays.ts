/** How often an operation is looked at that another process may end: soon at first, then less often, in ms. */
export const FIRST_LOOK_MS = 20;
const LONGEST_LOOK_MS = 1_000;

/** The waits between one look and the next. */
export function* lookDelays(): Generator<number, never> {
  for (let lookMs = FIRST_LOOK_MS; ; lookMs = Math.min(LONGEST_LOOK_MS, lookMs * 2)) yield lookMs;
}
