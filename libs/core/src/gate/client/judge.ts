/** Whether a call in line can still start in time: pure functions of what the gate said and who stands in front. */
import type { ResolvedContract } from '../../contract/resolved.js';
import type { WaitCause } from '../port.js';
import type { Line, LineWait, Waiter } from './line.js';

/** Why a call is not to wait on. */
export interface Unreachable {
  readonly cause: WaitCause;
  readonly limit: number | null;
  /** When it could have started. */
  readonly startMono: number;
  /** Its deadline is in the way; else the bound of its wait in line. */
  readonly byDeadline: boolean;
}

/** Times in microseconds become fractions of milliseconds: a difference this small is none. */
const SAME_MOMENT_MS = 1e-3;

/**
 * How much later than the head of its line a call starts, given the units of those from the head to just before it.
 * What holds the head up tells: a bucket gives units at its rate, a window at most its limit in each period, all else nothing for sure.
 */
export function laterThanHeadMs(
  contract: ResolvedContract,
  line: Line,
  ahead: { readonly units: (position: number) => number; readonly firsts: number },
): number {
  const { wait, ticket } = line;
  if (wait === null) return 0;
  if (wait.cause === 'ceiling') {
    const ceiling = contract.lanes[ticket.lane]?.ceiling;
    return ceiling ? (ahead.firsts * ceiling.perMs) / ceiling.limit : 0;
  }
  const limit = wait.limit === null ? undefined : contract.limits[wait.limit];
  const position = wait.limit === null ? -1 : ticket.limits.indexOf(wait.limit);
  if (limit === undefined || position < 0) return 0;
  const units = Math.max(0, ahead.units(position));
  if (wait.cause === 'rate' && limit.kind === 'token-bucket') return (units * limit.perMs) / limit.limit;
  if (wait.cause === 'window' && (limit.kind === 'sliding-window' || limit.kind === 'fixed-window')) {
    return Math.floor(units / limit.limit) * limit.perMs;
  }
  return 0;
}

/** The lower bound (`certain`) or the estimate (`likely`) of a start, against the two bounds of a waiting call. */
export function unreachable(
  contract: ResolvedContract,
  wait: LineWait,
  laterMs: number,
  waiter: Waiter,
  nowMono: number,
): Unreachable | null {
  const base = contract.queue.refuse === 'likely' ? Math.max(wait.estimateMono, wait.certainMono) : wait.certainMono;
  const startMono = Math.max(base + laterMs, nowMono);
  if (startMono <= Math.min(waiter.startByMono, waiter.waitUntilMono) + SAME_MOMENT_MS) return null;
  return {
    cause: wait.cause,
    limit: wait.limit,
    startMono,
    byDeadline: startMono > waiter.startByMono + SAME_MOMENT_MS,
  };
}
