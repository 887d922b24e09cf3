import type { SimulatedAnswer } from '../answer.js';
import type { SimulatedRequest } from '../request.js';

interface SimulatedLimitCommon {
  /** Name in the log and in quota headers. Default: its kind. */
  readonly name?: string;
  /** Which requests share one count, e.g. `(request) => request.headers.authorization ?? ''`. Default: all of them. */
  readonly partition?: (request: SimulatedRequest) => string;
  /** Which requests the limit is for. Default: every one. */
  readonly applies?: (request: SimulatedRequest) => boolean;
  /** What a request costs, a whole number of at least 0. Default: 1. */
  readonly cost?: (request: SimulatedRequest) => number;
  /** What it turned out to cost, charged in place of `cost` when the answer leaves; more than was left is owed. Default: what it was charged. */
  readonly actualCost?: (request: SimulatedRequest, answer: SimulatedAnswer) => number;
  /** After a refusal for this limit all requests of its partition are refused for so long; those prolong nothing. Default: 0. */
  readonly penaltyMs?: number;
  /** Whether a refused request is charged too. Default: `free`. */
  readonly refusedCalls?: 'count' | 'free';
}

/** The provider's limits. All figures are whole numbers; periods are whole milliseconds. */
export type SimulatedLimit =
  | (SimulatedLimitCommon & {
      readonly kind: 'token-bucket';
      readonly burst: number;
      readonly limit: number;
      readonly perMs: number;
    })
  | (SimulatedLimitCommon & { readonly kind: 'sliding-window'; readonly limit: number; readonly perMs: number })
  | (SimulatedLimitCommon & {
      readonly kind: 'fixed-window';
      readonly limit: number;
      readonly perMs: number;
      /** `clock`: windows begin at multiples of `perMs` of the provider's wall clock; `first-call`: with the first request after the last window. Default: `first-call`. */
      readonly align?: 'clock' | 'first-call';
    })
  | (SimulatedLimitCommon & { readonly kind: 'concurrency'; readonly limit: number })
  /** Counted per calendar day or month, UTC, of the provider's wall clock. */
  | (SimulatedLimitCommon & { readonly kind: 'quota'; readonly limit: number; readonly per: 'day' | 'month' });
