/** The part of the contract's retry rules that waits are made of. */
export interface BackoffRules {
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
  readonly jitter: 'full' | 'none';
}

/** Chance for one wait: two numbers from 0 to 1. */
export interface WaitChance {
  readonly backoff: number;
  readonly spread: number;
}

/** What is added to every wait, so that callers who were told the same moment do not come back in it. */
export const SPREAD_MS = 500;

/**
 * The own wait before try number `tries + 1`: full jitter over base x 2^(tries - 1), capped (AWS Architecture Blog,
 * "Exponential Backoff And Jitter"). The exponent saturates: the result is never NaN nor above the cap.
 */
export function backoffMs(tries: number, rules: BackoffRules, chance: number): number {
  if (rules.baseDelayMs <= 0) return 0;
  const cap = Math.min(rules.maxDelayMs, rules.baseDelayMs * 2 ** Math.max(0, tries - 1));
  return rules.jitter === 'none' ? cap : cap * chance;
}

/** A hint that can be waited for: zero, negative and unreadable ones are none, so that they cannot switch the backoff off. */
export function usableHintMs(hintMs: number | null | undefined, maxHintMs: number): number | null {
  if (hintMs === null || hintMs === undefined || !(hintMs > 0)) return null;
  return Math.min(hintMs, maxHintMs);
}

/**
 * The wait before the next try, and which of the two reasons made it as long.
 *
 * @param longestMs what is put on a hint does not make it longer than this: a guess may be waited for as long, and no longer
 */
export function waitBefore(
  tries: number,
  hintMs: number | null,
  rules: BackoffRules,
  chance: WaitChance,
  longestMs = Infinity,
): { readonly waitMs: number; readonly waitReason: 'retry-after' | 'backoff' } {
  const own = backoffMs(tries, rules, chance.backoff);
  const spread = rules.jitter === 'none' ? 0 : SPREAD_MS * chance.spread;
  const hinted = hintMs !== null && hintMs >= own;
  if (!hinted) return { waitMs: own + spread, waitReason: 'backoff' };
  return { waitMs: Math.max(hintMs, Math.min(hintMs + spread, longestMs)), waitReason: 'retry-after' };
}
