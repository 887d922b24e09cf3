import type { Random } from '../../../core/src/index.js';
import type { Behaviour } from './answer.js';
import type { SimulatedRequest } from './request.js';

/** What is wrong with the provider just now. Switched at run time by `simulator.faults`. */
export interface Faults {
  /** Which requests the faults are for. Default: every one. */
  readonly applies?: (request: SimulatedRequest) => boolean;
  /** The front door is broken: this answer after `afterMs`, before any limit is counted. */
  readonly down?: { readonly status?: number; readonly afterMs?: number; readonly retryAfter?: string };
  /** Requests are taken and never answered. */
  readonly hang?: boolean;
  /** The connection is reset `before` or `after` the request was executed. */
  readonly reset?: 'before' | 'after';
  /** Every answer comes this much later. */
  readonly slowMs?: number;
  /** Share (0 to 1) of requests that fail with `status`, unexecuted. */
  readonly failing?: { readonly share: number; readonly status: number };
  /** Share (0 to 1) of requests that are refused whatever the limits say, and the wait that is told. */
  readonly limited?: { readonly share: number; readonly waitMs: number | ((random: Random) => number) };
  /** Hints and quota headers are nonsense. */
  readonly malformedHeaders?: boolean;
  /** How far the `Date` header, and every date derived from it, is ahead of the right time. */
  readonly clockSkewMs?: number;
}

const DEFAULT_DOWN_STATUS = 503;

/** The fault that meets a request before it is judged by the limits. */
export function faultBeforeLimits(faults: Faults): Behaviour | null {
  if (faults.down === undefined) return null;
  const { status = DEFAULT_DOWN_STATUS, afterMs = 0, retryAfter } = faults.down;
  const headers: Record<string, string> = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
  return { answer: { status, headers }, slowMs: afterMs };
}

/** The fault that meets a request which the limits admitted. */
export function faultAfterLimits(faults: Faults, random: Random): Behaviour | null {
  if (faults.hang === true) return { ends: 'hang', executes: 'never' };
  if (faults.reset !== undefined) return { ends: 'reset', executes: faults.reset === 'after' ? 'first' : 'never' };
  if (faults.failing !== undefined && random.next() < faults.failing.share)
    return { answer: { status: faults.failing.status } };
  return null;
}

/** The wait that a refusal without a reason tells, or null when this request is spared. */
export function refusalByChance(faults: Faults, random: Random): number | null {
  if (faults.limited === undefined || random.next() >= faults.limited.share) return null;
  const { waitMs } = faults.limited;
  return typeof waitMs === 'function' ? waitMs(random) : waitMs;
}

/** The same headers, made unreadable. */
export function malformed(headers: Readonly<Record<string, string>>): Record<string, string> {
  const nonsense: [RegExp, string][] = [
    [/^retry-after/, 'soon'],
    [/reset/, 'Wed, 99 Foo'],
    [/remaining|limit/, 'plenty'],
  ];
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      nonsense.find(([pattern]) => pattern.test(name))?.[1] ?? value,
    ]),
  );
}
