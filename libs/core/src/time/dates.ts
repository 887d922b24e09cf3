/** The latest moment a `Date` can hold. */
const MAX_DATE_MS = 8.64e15;

/** The date of a wall time in ms; one beyond what a `Date` can hold is the last it can. */
export function dateOf(wallMs: number): Date {
  return new Date(Math.max(-MAX_DATE_MS, Math.min(MAX_DATE_MS, wallMs)));
}

/** Wall time in ms of a `Date`; null where the value is none, or none that exists. */
export function msOfDate(value: unknown): number | null {
  if (!(value instanceof Date)) return null;
  const ms = value.getTime();
  return Number.isNaN(ms) ? null : ms;
}
