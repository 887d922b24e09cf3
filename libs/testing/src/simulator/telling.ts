import type { SimulatedAnswer } from './answer.js';
import { type Faults, malformed } from './faults.js';
import type { Judgement } from './judge.js';
import { microsOf } from './limits/counter.js';
import { httpDate, quotaHeaders, type QuotaHeaders } from './refusal.js';

type Headers = Readonly<Record<string, string>>;

const S_MS = 1_000;

/** Quota headers of an answer. A refusal by chance has no limit behind it: it tells of one that has nothing left for `waitMs`. */
export function toldOf(
  style: QuotaHeaders,
  judgement: Judgement | null,
  wallMs: number,
  waitMs: number | null,
): Headers {
  if (judgement !== null) return lowerCased(quotaHeaders(style, judgement.limits, wallMs));
  if (waitMs === null) return {};
  const resetUs = microsOf(waitMs);
  const invented = { name: 'chance', kind: 'fixed-window', limit: 1, periodMs: null, remaining: 0, resetUs } as const;
  return lowerCased(quotaHeaders(style, [invented], wallMs));
}

/** All headers of an answer: its date, its type, what is told of the limits, its own. */
export function headersOf(
  answer: SimulatedAnswer,
  told: Headers,
  wallMs: number,
  faults: Faults,
): Record<string, string> {
  // A server's own date is the second that has begun.
  const date = httpDate(Math.floor((wallMs + (faults.clockSkewMs ?? 0)) / S_MS) * S_MS);
  const isText = answer.body === undefined || typeof answer.body === 'string';
  const type: Headers = isText ? {} : { 'content-type': 'application/json' };
  const meaning = { ...told, ...lowerCased(answer.headers ?? {}) };
  return { date, ...type, ...(faults.malformedHeaders === true ? malformed(meaning) : meaning) };
}

const lowerCased = (headers: Headers): Headers =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
