/** The date of a moment (ms since 1970 UTC), or null where no date can hold it. */
export function dateOrNull(wallMs: number): Date | null {
  return Math.abs(wallMs) <= MAX_DATE_MS ? new Date(wallMs) : null;
}

/** The last moment a `Date` can hold, in ms since 1970 UTC. */
export const MAX_DATE_MS = 8_640_000_000_000_000;

/**
 * The moment of a UTC calendar date, or null where the calendar has no such date (31 February). A leap second (`:60`) is
 * the second after. `month` is 1 to 12.
 */
export function utcMs(
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
  ms = 0,
): number | null {
  if (hour > 23 || minute > 59 || second > 60) return null;
  const midnight = new Date(0);
  midnight.setUTCFullYear(year, month - 1, day);
  if (midnight.getUTCMonth() !== month - 1 || midnight.getUTCDate() !== day) return null;
  const moment = midnight.getTime() + ((hour * 60 + minute) * 60 + second) * 1000 + ms;
  return Number.isFinite(moment) ? moment : null;
}

/** The UTC year of a moment. */
export function utcYear(wallMs: number): number {
  return new Date(wallMs).getUTCFullYear();
}
