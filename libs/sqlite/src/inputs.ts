/** The latest moment a `Date` can hold: no duration needs to be longer. */
export const MAX_MS = 8.64e15;

/** A duration as the store takes it: whole ms, at least 0. NaN would be stored as "never". */
export function durationOf(name: string, ms: number): number {
  if (typeof ms !== 'number' || Number.isNaN(ms)) throw new RangeError(`${name} is ${ms}; expected milliseconds.`);
  return Math.min(MAX_MS, Math.max(0, Math.ceil(ms)));
}

export function countOf(name: string, count: number, most = 10_000): number {
  if (!Number.isInteger(count) || count < 1 || count > most) {
    throw new RangeError(`${name} is ${count}; expected a whole number from 1 to ${most}.`);
  }
  return count;
}
