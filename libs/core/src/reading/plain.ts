/** Most answers say nothing about limits. To see that takes a look at the names of their headers, and no more. */
import { dateOrNull } from '../time/calendar.js';
import type { ReadingPlan } from './plan.js';
import type { Answer, Reading } from './reading.js';

/** More spellings than any provider has; what comes beyond them is not remembered. */
const MAX_SPELLED = 1000;

/** Whether a good answer holds nothing that the plan would read. Then its reading is {@link plainReading}. */
export function saysNothing({ plain }: ReadingPlan, { status, headers }: Answer): boolean {
  if (plain === null || !(status >= 200 && status < 300) || plain.ruled.has(status)) return false;
  for (const name in headers) {
    let telling = plain.spelled.get(name);
    if (telling === undefined) {
      telling = plain.telling.has(name.toLowerCase());
      if (plain.spelled.size < MAX_SPELLED) plain.spelled.set(name, telling);
    }
    if (telling) return false;
  }
  return true;
}

export function plainReading({ receivedAt }: Answer): Reading {
  return {
    limited: false,
    retryable: true,
    kind: 'none',
    waitMs: 0,
    retryAt: dateOrNull(receivedAt.getTime()),
    remaining: null,
    limit: null,
    resetAt: null,
    scope: null,
  };
}
