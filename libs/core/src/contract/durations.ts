import ms from 'ms';
import { configError } from '../errors/config-error.js';
import type { Duration } from './options.js';

/** A hundred years. Longer ones lose their microseconds in a double, and nobody means them. */
const MAX_DURATION_MS = 36_500 * 24 * 3_600_000;

const WRITTEN = /^\d+(\.\d+)?(ms|s|m|h|d|w)$/;

/** What a duration must look like, for messages. */
export const DURATION_FORMAT = "milliseconds as a number, or a text such as '500ms', '5s', '1m', '36h' or '7d'";

/** Milliseconds of a duration; null where the value is none. */
export function durationMs(value: unknown): number | null {
  if (typeof value === 'string') {
    if (!WRITTEN.test(value)) return null;
    return within(ms(value as ms.StringValue));
  }
  return typeof value === 'number' ? within(value) : null;
}

function within(value: number): number | null {
  return value >= 0 && value <= MAX_DURATION_MS ? value : null;
}

/**
 * Milliseconds of a duration.
 *
 * @param path what the value was given as, for the message
 * @throws SluiceError CONFIG when it is not readable, negative, infinite or longer than a hundred years.
 */
export function parseDuration(value: Duration, path: string, provider: string | null = null): number {
  const parsed = durationMs(value);
  if (parsed === null) throw configError(provider, path, value, DURATION_FORMAT);
  return parsed;
}
