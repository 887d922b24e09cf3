import {
  type CallOptions,
  currentContext,
  enterMethod,
  type OperationContext,
  type ProviderRuntime,
  type RequestTally,
  type StoredOwner,
} from '../../../core/src/index.js';
import type { DurableOptions } from '../decorators/durable.options.js';
import type { IdempotentOptions } from '../decorators/idempotent.options.js';
import type { ThrottledOptions } from '../decorators/throttled.options.js';
import { partitionFailed, unknownLane } from '../rate-limit.messages.js';
import type { SluiceApplication } from '../sluice-application.js';
import { callOptionsOf } from './call-options.js';
import type { MethodSite } from './method-site.js';
import type { StoredRun } from './stored-run.js';

/** A decorated method and the arguments it is given. */
export interface Described {
  readonly application: SluiceApplication;
  readonly runtime: ProviderRuntime;
  readonly site: Pick<MethodSite, 'prototype' | 'key' | 'label'>;
  readonly throttled: ThrottledOptions;
  readonly idempotent: IdempotentOptions | null;
  readonly durable: DurableOptions | null;
  readonly args: readonly unknown[];
}

/** One invocation of a decorated method. */
export interface Invocation extends Described {
  readonly site: MethodSite;
  /** What the arguments say about the calls inside. */
  readonly options: CallOptions;
  /** Its `this`. */
  readonly host: object;
  /** The method itself, with its `this` and arguments. */
  readonly body: () => unknown;
  /** A worker's run of stored work; null = somebody called it. */
  readonly stored: StoredRun | null;
}

/** `undefined` keeps the operation of the method around it. */
export type MethodOperation = OperationContext | undefined;

/** @throws SluiceError CONFIG when `partition` fails, or `lane` names none of the provider's. */
export function optionsOf({ application, runtime, site, throttled, args }: Described): CallOptions {
  const options = callOptionsOf(throttled, args, ({ option, error }, { lane }) => {
    if (option === 'partition' && !isObserved(runtime, lane)) {
      throw partitionFailed(site.label, runtime.contract.name, error);
    }
    application.reportFailedHook(runtime.contract.name, `${site.label} ${option}`, error);
  });
  const { name, lanes } = runtime.contract;
  const { lane } = options;
  if (lane !== undefined && !lanes.some((known) => known.name === lane)) {
    throw unknownLane(
      site.label,
      name,
      lane,
      lanes.map((known) => known.name),
    );
  }
  return options;
}

/**
 * The options of stored work: for whom it is done was found out when it was made, and the deadline was its caller's, who does
 * not wait for it any more.
 */
export function storedOptionsOf(described: Described, { lane, tenant, partition }: StoredOwner): CallOptions {
  const { application, runtime, site, throttled } = described;
  const { name, lanes } = runtime.contract;
  const isKnown = lane === null || lanes.some((known) => known.name === lane);
  if (!isKnown) application.reportGuess(name, `lane of stored work of ${site.label}`, 'the default lane');
  const { units, safe } = throttled;
  const owned = { units, safe, partition, ...(lane !== null && isKnown && { lane }), ...(tenant !== '' && { tenant }) };
  return optionsOf({ ...described, throttled: owned });
}

/** What is only observed is refused nothing. */
function isObserved({ contract }: ProviderRuntime, lane: string | undefined): boolean {
  const { lanes } = contract;
  return (lanes.find(({ name }) => name === lane) ?? lanes[contract.defaultLane])?.mode === 'observe';
}

/** Runs `fn` under the method's context. Each entry begins the method's deadline anew. */
export function enter<T>(
  invocation: Invocation,
  entry: { readonly operation: MethodOperation; readonly signal?: AbortSignal; readonly tally?: RequestTally },
  fn: () => T,
): T {
  const { application, runtime, options, site } = invocation;
  return enterMethod(
    {
      provider: runtime.contract.name,
      clock: application.clock,
      label: site.label,
      options,
      ...(entry.operation === undefined ? {} : { operation: entry.operation }),
      signal: entry.signal ?? null,
      ...(entry.tally === undefined ? {} : { tally: entry.tally }),
    },
    fn,
  );
}

/** Whose the calls of this invocation are: what the method says, else what the inbound request says. */
export function ownerOf(options: CallOptions): StoredOwner {
  const { inbound } = currentContext();
  return {
    lane: options.lane ?? null,
    partition: { ...inbound?.partition, ...options.partition },
    tenant: options.tenant ?? inbound?.tenant ?? '',
  };
}
