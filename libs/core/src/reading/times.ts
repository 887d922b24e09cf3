/** Times as headers and bodies write them: how long from now, or at which moment. */
import { MAX_DATE_MS } from '../time/calendar.js';
import { parseDate } from './dates.js';
import type { GuessedForm } from './guess.js';
import type { TimeForm } from './options.js';

/** A duration from now, or a moment of the provider's clock, in ms. */
export type Time = ({ readonly afterMs: number } | { readonly atMs: number }) & {
  /** Only its look tells how it is written. */
  readonly form?: GuessedForm;
};

const NUMBER = /^\d{1,17}(?:\.\d{1,17})?$/;
const JOINED = /^\d+(?:\.\d+)?(?:, \d+(?:\.\d+)?)+$/;
const DURATION = /^(?:\d+(?:\.\d+)?(?:h|ms|m|s|us|µs|ns))+$/;
const DURATION_PART = /(\d+(?:\.\d+)?)(h|ms|m|s|us|µs|ns)/g;
const UNIT_MS: Readonly<Record<string, number>> = {
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
  us: 1e-3,
  µs: 1e-3,
  ns: 1e-6,
};
/** Of dates that are read as such: of ISO 8601, and without a zone. */
const ZONELESS = /^\d{4}-.{11,}(?<!z|[+-]\d\d:?\d\d)$/i;
const YEAR_MS = 366 * 86_400_000;
/** A wait beyond ten years is told as it is, but no date is made of it, and nobody means it. */
export const OVERFLOW_MS = 10 * YEAR_MS;

/** Rounds up to whole ms, past the dust of binary fractions (1.1 s is 1,100 ms). */
export function ceilMs(ms: number): number {
  return Math.max(0, Math.ceil(ms - 1e-6));
}

/** Reads a wait: a number is seconds, unless it is a moment since 1970 within a year of now. */
export function parseWait(text: string, form: TimeForm, nowMs: number): Time | null {
  const value = numberOf(text);
  if (value === null) return parseText(text, nowMs);
  if (form !== 'auto') return ofForm(value, form);
  if (Math.abs(value * 1000 - nowMs) < YEAR_MS) return { atMs: ceilMs(value * 1000), form: 'epoch-seconds' };
  if (Math.abs(value - nowMs) < YEAR_MS) return { atMs: ceilMs(value), form: 'epoch-milliseconds' };
  return ofForm(value, 'seconds');
}

/** Reads a reset: the size of a number tells what it is, unless the form does. */
export function parseReset(text: string, form: TimeForm, nowMs: number): Time | null {
  const value = numberOf(text);
  if (value === null) return parseText(text, nowMs);
  if (form !== 'auto') return ofForm(value, form);
  if (value < 1e7) return bySize(value, 'seconds');
  if (value < 1e9) return null;
  return bySize(value, value < 1e11 ? 'epoch-seconds' : 'epoch-milliseconds');
}

/** Time from `nowMs` (on the provider's clock) until then; never negative. */
export function untilMs(time: Time, nowMs: number): number | null {
  if ('afterMs' in time) return time.afterMs;
  const wait = ceilMs(time.atMs - nowMs);
  return Number.isFinite(wait) ? wait : null;
}

/** Numbers of several lines that a client joined; a date has a comma of its own. */
export function linesOf(text: string): readonly string[] {
  return JOINED.test(text) ? text.split(', ') : [text];
}

function numberOf(text: string): number | null {
  return NUMBER.test(text) ? Number(text) : null;
}

function ofForm(value: number, form: TimeForm): Time | null {
  if (form === 'date') return null;
  const ms = ceilMs(form === 'seconds' || form === 'epoch-seconds' ? value * 1000 : value);
  if (!Number.isSafeInteger(ms)) return null;
  if (form === 'seconds' || form === 'milliseconds') return { afterMs: ms };
  return ms <= MAX_DATE_MS ? { atMs: ms } : null;
}

function bySize(value: number, form: GuessedForm & TimeForm): Time | null {
  const time = ofForm(value, form);
  if (time === null) return null;
  return 'atMs' in time ? { atMs: time.atMs, form } : { afterMs: time.afterMs, form };
}

function parseText(text: string, nowMs: number): Time | null {
  if (text.length > 100) return null;
  const atMs = parseDate(text, nowMs);
  if (atMs !== null) return ZONELESS.test(text) ? { atMs, form: 'date-without-zone' } : { atMs };
  if (!DURATION.test(text)) return null;
  let sum = 0;
  for (const [, amount, unit] of text.matchAll(DURATION_PART)) sum += Number(amount) * UNIT_MS[unit!]!;
  const afterMs = ceilMs(sum);
  return Number.isSafeInteger(afterMs) ? { afterMs, form: 'duration' } : null;
}
