import type { Observable } from 'rxjs';
import type { Duration, ExplainedAnswer, Partition, Units } from '../../../core/src/index.js';

/** A value, or a function of the decorated method's arguments. */
export type FromArguments<Args extends any[], T> = T | ((...args: Args) => T);

/**
 * What a method says about the calls it makes. A function that throws is reported as a `hook-failed` event and its default
 * applies; `partition` alone refuses the call, for another partition would mean another account.
 */
export interface ThrottledOptions<Args extends any[] = any[], Result = any> {
  /** Name of the lane. Default: the provider's default lane. */
  readonly lane?: FromArguments<Args, string | undefined>;
  /** For whom the work is done. Default: the inbound request's tenant, or none. */
  readonly tenant?: FromArguments<Args, string | undefined>;
  /** Values of the dimensions that limits are counted by. Default: the inbound request's. */
  readonly partition?: FromArguments<Args, Partition>;
  /** What one request costs. Default: what the contract says. */
  readonly units?: FromArguments<Args, Units | undefined>;
  /** Longest time for the calls of one invocation. It can only narrow what is around it. Default: `timeouts.total`. */
  readonly deadline?: FromArguments<Args, Duration | undefined>;
  /** Whether its requests may be repeated without harm. Default: what the contract's `safe` says of each request. */
  readonly safe?: FromArguments<Args, boolean | undefined>;
  /**
   * `requests`: each request inside, sent through the provider's client, is an attempt. `method`: the method itself is the
   * attempt, for SDKs without Axios. Default: `requests`.
   */
  readonly guard?: 'requests' | 'method';
  /**
   * For `guard: 'method'`: reads what the method gave or threw as an answer; undefined = it tells nothing. An error that it
   * does not explain is of unknown outcome, unless the method is declared safe.
   */
  readonly answer?: (result: Result | undefined, error: unknown) => ExplainedAnswer | undefined;
}

export type AnyMethod = (...args: any[]) => unknown;

/** What an asynchronous method gives, or an Observable emits. */
export type ResultOf<M extends AnyMethod> = ReturnType<M> extends Observable<infer V> ? V : Awaited<ReturnType<M>>;

/** A guarded method may have to wait: it gives its caller a Promise or an Observable, and so must its declaration. */
export type AsynchronousMethod<M extends AnyMethod> = [ReturnType<M>] extends [
  PromiseLike<unknown> | Observable<unknown>,
]
  ? unknown
  : { readonly mismatch: 'a guarded method gives a Promise or an Observable: declare it so' };

/** Refuses option names that do not exist. */
export type Known<O, All> = { readonly [K in Exclude<keyof O, keyof All>]: never };
