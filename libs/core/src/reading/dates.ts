/** Dates as headers write them, against a strict calendar: what is not a date is null, never another date. */
import { utcMs, utcYear } from '../time/calendar.js';

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MONTH = `(${MONTHS.join('|')})`;
const TIME = '(\\d{2}):(\\d{2}):(\\d{2})';
const DAY = '(?:mon|tue|wed|thu|fri|sat|sun)';
const LONG_DAY = '(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)';

const IMF_FIXDATE = new RegExp(`^${DAY}, (\\d{2}) ${MONTH} (\\d{4}) ${TIME} gmt$`, 'i');
const RFC_850 = new RegExp(`^${LONG_DAY}, (\\d{2})-${MONTH}-(\\d{2}) ${TIME} gmt$`, 'i');
const ASCTIME = new RegExp(`^${DAY} ${MONTH} (\\d{2}| \\d) ${TIME} (\\d{4})$`, 'i');
/** A date of JavaScript as a text. */
const SCRIPT = new RegExp(`^${DAY} ${MONTH} (\\d{2}) (\\d{4}) ${TIME} gmt([+-])(\\d{2})(\\d{2})(?: \\(.*\\))?$`, 'i');
const ISO = /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(?:Z|([+-])(\d{2}):?(\d{2}))?$/i;

/** Reads one of the three forms of an HTTP date (RFC 9110 5.6.7); weekday and letter case are not checked. `nowMs` settles two-digit years. */
export function parseHttpDate(text: string, nowMs: number): number | null {
  let m = IMF_FIXDATE.exec(text);
  if (m) return utcMs(+m[3]!, monthOf(m[2]!), +m[1]!, +m[4]!, +m[5]!, +m[6]!);
  m = RFC_850.exec(text);
  if (m) return utcMs(fullYear(+m[3]!, nowMs), monthOf(m[2]!), +m[1]!, +m[4]!, +m[5]!, +m[6]!);
  m = ASCTIME.exec(text);
  if (m) return utcMs(+m[6]!, monthOf(m[1]!), +m[2]!, +m[3]!, +m[4]!, +m[5]!);
  return null;
}

/** Reads an ISO 8601 date with a time; without a zone it is UTC. */
export function parseIsoDate(text: string): number | null {
  const m = ISO.exec(text);
  if (!m) return null;
  const ms = m[7] === undefined ? 0 : Math.ceil(Number(`0.${m[7]}`) * 1000 - 1e-6);
  return shifted(utcMs(+m[1]!, +m[2]!, +m[3]!, +m[4]!, +m[5]!, +(m[6] ?? 0), ms), m[8], m[9], m[10]);
}

/** Reads any of the forms that occur in headers and bodies. */
export function parseDate(text: string, nowMs: number): number | null {
  const known = parseHttpDate(text, nowMs) ?? parseIsoDate(text);
  if (known !== null) return known;
  const m = SCRIPT.exec(text);
  return m ? shifted(utcMs(+m[3]!, monthOf(m[1]!), +m[2]!, +m[4]!, +m[5]!, +m[6]!), m[7], m[8], m[9]) : null;
}

function monthOf(name: string): number {
  return MONTHS.indexOf(name.toLowerCase()) + 1;
}

/** A two-digit year more than 50 years ahead is of the century before. */
function fullYear(twoDigits: number, nowMs: number): number {
  const now = Number.isFinite(nowMs) ? utcYear(nowMs) : 2000;
  const year = now - (now % 100) + twoDigits;
  return year > now + 50 ? year - 100 : year;
}

function shifted(moment: number | null, sign?: string, hours?: string, minutes?: string): number | null {
  if (moment === null || sign === undefined) return moment;
  if (Number(hours) > 23 || Number(minutes) > 59) return null;
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return sign === '+' ? moment - offset : moment + offset;
}
