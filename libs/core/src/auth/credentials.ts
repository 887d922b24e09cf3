import type { Credentials } from '../contract/auth-options.js';
import { msOfDate } from '../time/dates.js';

/** Credentials as they are kept: in memory only, and never told to anyone but the sender. */
export interface HeldCredentials {
  readonly headers: Readonly<Record<string, string>>;
  /** Wall ms; Infinity = never. */
  readonly expiresAtMs: number;
  /** Counts up with every fetch of the partition: tells whether a 401 is about these. */
  readonly generation: number;
}

/** Checks what the contract's function gave. @throws TypeError that names the field, never its value. */
export function heldFrom(given: unknown, generation: number): HeldCredentials {
  const { headers, expiresAt } = (given ?? {}) as Partial<Credentials>;
  if (typeof headers !== 'object' || headers === null) throw new TypeError('The credentials have no headers.');
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value !== 'string') throw new TypeError(`The credentials' header "${name}" is not a text.`);
  }
  const expiresAtMs = expiresAt === undefined ? Infinity : msOfDate(expiresAt);
  if (expiresAtMs === null) throw new TypeError("The credentials' expiresAt is not a valid Date.");
  return { headers: { ...headers }, expiresAtMs, generation };
}

/** Statuses by which a token endpoint says no for good: bad request (an invalid grant), unauthorised, forbidden. */
const REFUSALS = new Set([400, 401, 403]);

/** Whether a failed refresh is the provider's no. A network failure or a 5xx of it is none: the credentials may be good. */
export function isRefusal(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { status, response } = error as { status?: unknown; response?: { status?: unknown } | null };
  return REFUSALS.has((response?.status ?? status) as number);
}
