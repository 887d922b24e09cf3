import type { ExecutionContext } from '@nestjs/common';
import type {
  Clock,
  DurableStore,
  Duration,
  Gate,
  OperationsOptions,
  Partition,
  ProviderContract,
  Random,
} from '../../../core/src/index.js';
import type { InboundRequest } from './inbound-request.interface.js';

/**
 * What the calls made for an inbound request inherit. A function that throws is reported and its default applies; a
 * `partition` that throws refuses the request's guarded calls unsent.
 */
export interface InboundOptions {
  /** For whom the request's work is done. Default: none. */
  readonly tenant?: (source: InboundRequest, context?: ExecutionContext) => string | undefined | null;
  /** Values of the dimensions that limits are counted by. Default: none. */
  readonly partition?: (source: InboundRequest, context?: ExecutionContext) => Partition | undefined | null;
  /** Longest time for all calls of one request. Default: none. */
  readonly deadline?: Duration | ((source: InboundRequest, context?: ExecutionContext) => Duration | undefined | null);
}

export interface ShutdownOptions {
  /** How long attempts and stored operations under way may still take when the application stops. Default: `10s`. */
  readonly grace?: Duration;
}

export interface RateLimitModuleOptions {
  /** Default: `memoryGate()`: one process, everything in memory. */
  readonly gate?: Gate;
  /**
   * Keeps operations through restarts and crashes, such as `sqliteStore({ path })`; opened at the start, closed at the end.
   * Default: none, everything is remembered in the process.
   */
  readonly store?: DurableStore;
  /** How stored operations are run. Only with a `store`. */
  readonly operations?: OperationsOptions;
  /** The providers that are called. More may be added beside their clients with `forFeature`. */
  readonly providers?: readonly ProviderContract[];
  readonly clock?: Clock;
  readonly random?: Random;
  readonly inbound?: InboundOptions;
  readonly shutdown?: ShutdownOptions;
}

/** What `useClass` and `useExisting` of `forRootAsync` name. */
export interface RateLimitOptionsFactory {
  createRateLimitOptions(): RateLimitModuleOptions | Promise<RateLimitModuleOptions>;
}
