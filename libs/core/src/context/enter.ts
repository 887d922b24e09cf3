import { parseDuration } from '../contract/durations.js';
import type { Duration } from '../contract/options.js';
import type { Partition } from '../model/outcome.js';
import type { CallOptions, CurrentCall } from '../pipeline/call.js';
import type { Clock } from '../time/clock.js';
import { dateOf } from '../time/dates.js';
import type { LookupRun } from '../operations/trail.js';
import { currentContext, runAsCurrent, runInContext } from './context.js';
import type { InboundContext, MethodContext, OperationContext, RequestTally } from './contexts.js';

export interface MethodEntry {
  readonly provider: string;
  /** `Class.method`, for messages. */
  readonly label?: string;
  /** Told when a call begins inside. Default: that of the method around it. */
  readonly tally?: RequestTally;
  readonly clock: Clock;
  readonly options?: CallOptions;
  /** Default: that of the method around it, so that nested guarded methods stay one operation. */
  readonly operation?: OperationContext | null;
  /** Default: that of the method around it. */
  readonly lookup?: LookupRun;
  /** Aborted when the method's caller gives up. */
  readonly signal?: AbortSignal | null;
}

/**
 * Runs `fn` as one invocation of a guarded method: every call inside takes its options and deadline from here. Deadlines
 * nest, and only narrow.
 *
 * @throws SluiceError CONFIG when `options.deadline` is not a duration.
 */
export function enterMethod<T>(entry: MethodEntry, fn: () => T): T {
  const { provider, clock, options = {} } = entry;
  const outer = currentContext();
  const method: MethodContext = {
    provider,
    label: entry.label ?? null,
    tally: entry.tally ?? outer.method?.tally ?? null,
    options,
    deadlineMono: Math.min(
      outer.method?.deadlineMono ?? Infinity,
      outer.inbound?.deadlineMono ?? Infinity,
      deadlineMono(clock, options.deadline, provider),
    ),
    operation: entry.operation === undefined ? (outer.method?.operation ?? null) : entry.operation,
    lookup: entry.lookup ?? outer.method?.lookup ?? null,
    signal: joined(outer.method?.signal ?? null, entry.signal ?? null),
  };
  return runAsCurrent({ inbound: outer.inbound, method }, new MethodCall(method, clock), fn);
}

export interface InboundEntry {
  readonly clock: Clock;
  readonly tenant?: string | null;
  readonly partition?: Partition | null;
  readonly deadline?: Duration;
  /** Aborted when the client disconnects. */
  readonly disconnected?: AbortSignal | null;
}

/**
 * Runs `fn` as the work for one request that came in to the application.
 *
 * @throws SluiceError CONFIG when `deadline` is not a duration.
 */
export function enterInbound<T>(entry: InboundEntry, fn: () => T): T {
  const inbound: InboundContext = {
    tenant: entry.tenant ?? null,
    partition: entry.partition ?? null,
    deadlineMono: deadlineMono(entry.clock, entry.deadline, null),
    disconnected: entry.disconnected ?? null,
    reuse: new Map(),
  };
  return runInContext({ inbound, method: null }, fn);
}

function deadlineMono(clock: Clock, deadline: Duration | undefined, provider: string | null): number {
  return deadline === undefined ? Infinity : clock.monoMs() + parseDuration(deadline, 'deadline', provider);
}

function joined(outer: AbortSignal | null, own: AbortSignal | null): AbortSignal | null {
  if (outer === null || own === null || outer === own) return own ?? outer;
  return AbortSignal.any([outer, own]);
}

const never = new AbortController().signal;

/** What `currentCall()` tells inside a guarded method, outside of its attempts. */
class MethodCall implements CurrentCall {
  readonly attempt = 0;
  readonly idempotencyKey = null;

  constructor(
    private readonly method: MethodContext,
    private readonly clock: Clock,
  ) {}

  get provider(): string {
    return this.method.provider;
  }

  get signal(): AbortSignal {
    return this.method.signal ?? never;
  }

  get remainingMs(): number | null {
    const { deadlineMono } = this.method;
    return deadlineMono === Infinity ? null : Math.max(0, deadlineMono - this.clock.monoMs());
  }

  get deadlineAt(): Date | null {
    const { remainingMs } = this;
    return remainingMs === null ? null : dateOf(this.clock.wallMs() + remainingMs);
  }

  get operationId(): string | null {
    return this.method.operation?.id ?? null;
  }
}
