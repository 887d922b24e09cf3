/** Fields that many providers have in common. */
import type { ProviderOptions } from '../../core/src/index.js';

type Window = NonNullable<NonNullable<ProviderOptions['reading']>['windows']>[number];

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
