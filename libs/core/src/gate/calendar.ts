/** Calendar periods of a time zone. Moments are microseconds since 1970 UTC. */

export interface Period {
  readonly startUs: number;
  readonly endUs: number;
}

interface Day {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
    });
    formats.set(timeZone, format);
  }
  return format;
}

/** The local calendar day of a moment. */
function dayAt(ms: number, timeZone: string): Day {
  const parts = { year: 0, month: 0, day: 0 };
  for (const { type, value } of formatOf(timeZone).formatToParts(ms)) {
    if (type === 'year' || type === 'month' || type === 'day') parts[type] = Number(value);
  }
  return parts;
}

function compare(a: Day, b: Day): number {
  return a.year - b.year || a.month - b.month || a.day - b.day;
}

/** The first moment (to the minute) between `lowMs` and `highMs` at which the local day is `day` or later: midnight, or what follows where clocks skip it. */
function firstMomentOf(day: Day, lowMs: number, highMs: number, timeZone: string): number {
  let low = Math.floor(lowMs / MINUTE_MS);
  let high = Math.ceil(highMs / MINUTE_MS);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (compare(dayAt(middle * MINUTE_MS, timeZone), day) >= 0) high = middle;
    else low = middle;
  }
  return high * MINUTE_MS;
}

/** The periods last found, by kind and zone: finding one takes a tenth of a millisecond, and every partition asks for the same. */
const found = new Map<string, readonly Period[]>();
const KEPT = 4;

/** The day or month of `timeZone` in which `nowUs` lies. */
export function calendarPeriod(nowUs: number, per: 'day' | 'month', timeZone: string): Period {
  const name = `${per} ${timeZone}`;
  const known = found.get(name) ?? [];
  const same = known.find(({ startUs, endUs }) => nowUs >= startUs && nowUs < endUs);
  if (same !== undefined) return same;
  const period = lookUp(nowUs, per, timeZone);
  found.set(name, [period, ...known.slice(0, KEPT - 1)]);
  return period;
}

function lookUp(nowUs: number, per: 'day' | 'month', timeZone: string): Period {
  const nowMs = nowUs / 1000;
  const today = dayAt(nowMs, timeZone);
  const back = per === 'day' ? 2 * DAY_MS : 33 * DAY_MS;
  const start = per === 'day' ? today : { ...today, day: 1 };
  const startMs = firstMomentOf(start, nowMs - back, nowMs, timeZone);
  const reach = startMs + (per === 'day' ? 2 : 33) * DAY_MS;
  const next =
    per === 'day'
      ? dayAfter(today)
      : { year: start.year + (start.month === 12 ? 1 : 0), month: (start.month % 12) + 1, day: 1 };
  return { startUs: startMs * 1000, endUs: firstMomentOf(next, startMs, reach, timeZone) * 1000 };
}

const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function dayAfter({ year, month, day }: Day): Day {
  const leap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  if (day < (MONTH_DAYS[month - 1] ?? 31) + (leap ? 1 : 0)) return { year, month, day: day + 1 };
  return month === 12 ? { year: year + 1, month: 1, day: 1 } : { year, month: month + 1, day: 1 };
}
