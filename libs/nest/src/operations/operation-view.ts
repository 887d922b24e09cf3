import {
  dateOf,
  decodePayload,
  type Operation,
  type OperationState,
  type OperationSummary,
  type StoredError,
  type StoredInvocation,
  type TransitionCause,
} from '../../../core/src/index.js';

/** An operation, as an application sees it: without its arguments, keys and bytes. */
export interface OperationView {
  readonly id: string;
  readonly provider: string;
  /** `@Durable({ name })`, else `Class.method`. */
  readonly name: string;
  readonly state: OperationState;
  /** Why it is in that state. */
  readonly cause: TransitionCause;
  readonly lane: string;
  /** '' = none. */
  readonly tenant: string;
  /** The last thing that went wrong, without secrets, or an operator's words. */
  readonly error: StoredError | null;
  /** Failures that counted as attempts. */
  readonly attempts: number;
  /** Hand-outs to workers since it was last brought back. */
  readonly deliveries: number;
  /** Lookups since its outcome became unknown that told nothing: inconclusive ones, and those whose process died. */
  readonly checks: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** When it is to be run (`waiting`) or looked up (`uncertain`); null = now, or never. */
  readonly dueAt: Date | null;
  readonly endedAt: Date | null;
}

/** One operation, with what became of it. */
export interface OperationDetails extends OperationView {
  /** What its method gave, once it is `done`; of an Observable, the list of its values. Undefined where it gave nothing or it could not be kept. */
  readonly result: unknown;
  /** What its method was given; only where it was asked for, and stored. */
  readonly args?: readonly unknown[];
}

export function viewOf(operation: OperationSummary): OperationView {
  const { id, provider, name, state, cause, lane, tenant, error, attempts, deliveries, checks } = operation;
  return {
    id,
    provider,
    name,
    state,
    cause,
    lane,
    tenant,
    error,
    attempts,
    deliveries,
    checks,
    createdAt: dateOf(operation.createdAtMs),
    updatedAt: dateOf(operation.updatedAtMs),
    dueAt: dateOrNull(operation.dueAtMs),
    endedAt: dateOrNull(operation.endedAtMs),
  };
}

export function detailsOf(operation: Operation, withArguments: boolean): OperationDetails {
  const { payload, result } = operation;
  return {
    ...viewOf(operation),
    result: result === null ? undefined : decodePayload(result),
    ...(withArguments && payload !== null && { args: (decodePayload(payload) as StoredInvocation).args }),
  };
}

function dateOrNull(ms: number | null): Date | null {
  return ms === null ? null : dateOf(ms);
}
