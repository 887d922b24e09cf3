import type { WindowOptions } from './options.js';

/** The three usual fields under one prefix. */
export const family = (prefix: string, scope?: WindowOptions['scope']): WindowOptions => ({
  ...(scope === undefined ? {} : { scope }),
  limit: `${prefix}-limit`,
  remaining: `${prefix}-remaining`,
  reset: `${prefix}-reset`,
});

export const X = 'x-ratelimit';
