import type { TimeSource, ValueSource } from './options.js';

/** How people name the place that a value is read from: `retry-after`, or `wait_ms of the body`. */
export function sourceName(from: TimeSource | ValueSource): string {
  if (typeof from === 'string') return from.toLowerCase();
  if ('from' in from) return sourceName(from.from);
  return 'header' in from ? from.header.toLowerCase() : `${from.body} of the body`;
}
