/** Fields that many providers have in common. */
import type { ProviderOptions } from '../../core/src/index.js';

type Reading = NonNullable<ProviderOptions['reading']>;
type Window = NonNullable<Reading['windows']>[number];

/** Rules of one profile, typed where they are written: as part of a contract their bodies would have to name the same fields. */
export type Rules = NonNullable<Reading['rules']>;

/** `<prefix>-Limit`, `-Remaining` and `-Reset`. */
export function family(prefix: string, scope?: Window['scope']): Window {
  return {
    ...(scope === undefined ? {} : { scope }),
    limit: `${prefix}-limit`,
    remaining: `${prefix}-remaining`,
    reset: `${prefix}-reset`,
  };
}

export const X_RATELIMIT = 'x-ratelimit';
